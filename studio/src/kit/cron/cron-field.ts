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

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/**
 * A cron line as it is usually written, to put it in words; when it comes, croner reckons. Rarer forms (the last day, the
 * nearest weekday, the first Monday) are not read.
 */
export function cronLine(cron: string): CronLine | undefined {
  const line = named[cron.trim().toLowerCase()] ?? cron.trim();
  const parts = line.split(/\s+/);
  if (parts.length !== 5 && parts.length !== 6) return undefined;
  const [minute, hour, day, month, weekday] = parts.slice(-5) as [string, string, string, string, string];
  const second = parts.length === 6 ? Number(parts[0]) : 0;
  const fields = {
    minute: fieldOf(minute, 0, 59),
    hour: fieldOf(hour, 0, 23),
    day: fieldOf(day, 1, 31),
    month: fieldOf(month, 1, 12, months),
    weekday: sundayFirst(fieldOf(weekday, 0, 7, weekdays)),
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
