import { type CronLine, cronLine, type Field } from "./cron-field.ts";

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

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
