const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const months = "January February March April May June July August September October November December".split(" ");
const short = (names: readonly string[]) => names.map((name) => name.slice(0, 3).toLowerCase());

/** A cron line in words, in its usual forms (“weekdays at 08:00”); any other is the line itself. */
export function cronWords(cron: string): string {
  const line = cronLine(cron);
  return (line && line.second === 0 && words(line)) || cron;
}

function words(line: CronLine): string | undefined {
  const { minute, hour } = line;
  const when = dayWords(line);
  const [first] = minute.values;
  if (when === undefined || first === undefined) return undefined;
  const often = when === "every day" ? "" : `, ${when}`;
  if (hour.all) {
    if (minute.all) return `every minute${often}`;
    const step = evenStep(minute, 60);
    if (step !== undefined && first === 0) return `every ${step} minutes${often}`;
    if (minute.values.length > 4) return undefined;
    return `every hour at ${list(minute.values.map((one) => `:${two(one)}`))}${often}`;
  }
  if (minute.values.length !== 1) return undefined;
  const hours = evenStep(hour, 24);
  if (hours !== undefined && hour.values.length > 4 && hour.values[0] === 0)
    return `every ${hours} hours at :${two(first)}${often}`;
  if (hour.values.length > 4) return undefined;
  const times = list(hour.values.map((one) => `${two(one)}:${two(first)}`));
  return `${when} at ${times}`;
}

function dayWords({ day, month, weekday }: CronLine): string | undefined {
  if (!day.all && !weekday.all) return undefined;
  const inMonths = month.all ? "" : list(month.values.map((one) => months[one - 1] as string));
  if (month.values.length > 4 && !month.all) return undefined;
  if (!day.all && day.values.length > 4) return undefined;
  if (!day.all && month.all) return `on the ${list(day.values.map(nth))} of each month`;
  if (!day.all) return `on ${list(day.values.map(String))} ${inMonths}`;
  const week = weekWords(weekday);
  return month.all ? week : `${week} in ${inMonths}`;
}

function weekWords({ values, all }: Field): string {
  if (all || values.length === 7) return "every day";
  if (values.join() === "1,2,3,4,5") return "weekdays";
  if (values.join() === "0,6") return "weekends";
  // A week as people say it begins on Monday.
  const named = [...values.filter((one) => one > 0), ...values.filter((one) => one === 0)];
  return list(named.map((one) => `${days[one]}s`));
}

/** Is it every so many, all around the clock? */
function evenStep({ values }: Field, of: number): number | undefined {
  const step = (values[1] ?? 0) - (values[0] ?? 0);
  const even = step > 1 && of % step === 0 && values.length === of / step;
  return even && values.every((value, index) => value === (values[0] ?? 0) + index * step) ? step : undefined;
}

function nth(value: number): string {
  const tens = value % 100 >= 11 && value % 100 <= 13;
  return `${value}${(!tens && { 1: "st", 2: "nd", 3: "rd" }[value % 10]) || "th"}`;
}

const two = (value: number) => String(value).padStart(2, "0");

function list(values: readonly string[]): string {
  return values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} and ${values.at(-1)}`;
}

/** One field of a cron line: every value it names, in order; nothing where it is written in a way not read here. */
export type Field = { readonly values: readonly number[]; readonly all: boolean };

/** The five fields, and the second of a line that has six. */
export type CronLine = {
  readonly second: number;
  readonly minute: Field;
  readonly hour: Field;
  readonly day: Field;
  readonly month: Field;
  /** Sunday is 0. */
  readonly weekday: Field;
};

const named: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/**
 * A cron line as it is usually written, to put it in words; when it comes, croner reckons. Rarer forms (the last day, the
 * nearest weekday, the first Monday) are not read.
 */
function cronLine(cron: string): CronLine | undefined {
  const line = named[cron.trim().toLowerCase()] ?? cron.trim();
  const parts = line.split(/\s+/);
  if (parts.length !== 5 && parts.length !== 6) return undefined;
  const [minute, hour, day, month, weekday] = parts.slice(-5) as [string, string, string, string, string];
  const second = parts.length === 6 ? Number(parts[0]) : 0;
  const fields = {
    minute: fieldOf(minute, 0, 59),
    hour: fieldOf(hour, 0, 23),
    day: fieldOf(day, 1, 31),
    month: fieldOf(month, 1, 12, short(months)),
    weekday: sundayFirst(fieldOf(weekday, 0, 7, short(days))),
  };
  const read = Number.isInteger(second) && Object.values(fields).every((field) => field !== undefined);
  return read ? ({ second, ...fields } as CronLine) : undefined;
}

function fieldOf(text: string, least: number, max: number, names: readonly string[] = []): Field | undefined {
  const found = new Set<number>();
  for (const part of text.split(",")) {
    const [, range, by] = /^(.+?)(?:\/(\d+))?$/.exec(part) ?? [];
    const step = Number(by ?? 1);
    if (range === undefined || step < 1 || (by !== undefined && /^\w+$/.test(range))) return undefined;
    const [from, to] = range === "*" || range === "?" ? [least, max] : bounds(range, names, least);
    if (from === undefined || to === undefined || from < least || to > max || from > to) return undefined;
    for (let value = from; value <= to; value += step) found.add(value);
  }
  return { values: [...found].sort((one, other) => one - other), all: text === "*" || text === "?" };
}

function bounds(range: string, names: readonly string[], least: number): readonly (number | undefined)[] {
  const ends = range.split("-").map((end) => {
    const name = names.indexOf(end.toLowerCase());
    if (name >= 0) return name + least;
    return /^\d+$/.test(end) ? Number(end) : undefined;
  });
  return ends.length === 1 ? [ends[0], ends[0]] : ends.length === 2 ? [ends[0], ends[1]] : [];
}

function sundayFirst(field: Field | undefined): Field | undefined {
  if (!field) return undefined;
  const values = [...new Set(field.values.map((value) => value % 7))].sort((one, other) => one - other);
  return { ...field, values };
}
