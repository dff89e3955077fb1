import type { Notice } from "../prompt/reading.ts";

/** An instant, split into its fields in a time zone. */
type Moment = {
  readonly weekday: string;
  readonly month: string;
  readonly day: number;
  readonly year: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** The zone's short name: "UTC", "CST", "GMT+5:30". */
  readonly abbreviation: string;
  readonly zone: string;
  readonly notices: readonly Notice[];
};

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = "January February March April May June July August September October November December".split(" ");

/** Returns the moment in a zone; for an unknown zone in UTC, with a notice. */
export function moment(instant: string, zone = "UTC"): Moment {
  const date = new Date(instant);
  if (zone === "UTC") return inUtc(date, []);
  try {
    return inZone(date, zone);
  } catch {
    const message = `There is no time zone “${zone}”; the time is shown in UTC.`;
    return inUtc(date, [{ code: "bad-time-zone", message }]);
  }
}

function inUtc(date: Date, notices: readonly Notice[]): Moment {
  return {
    weekday: weekdays[date.getUTCDay()] as string,
    month: months[date.getUTCMonth()] as string,
    day: date.getUTCDate(),
    year: date.getUTCFullYear(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    abbreviation: "UTC",
    zone: "UTC",
    notices,
  };
}

function inZone(date: Date, zone: string): Moment {
  const formatted = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    weekday: "long",
    month: "long",
    day: "numeric",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  }).formatToParts(date);
  const field = (type: string) => formatted.find((part) => part.type === type)?.value ?? "";
  return {
    weekday: field("weekday"),
    month: field("month"),
    day: Number(field("day")),
    year: Number(field("year")),
    hour: Number(field("hour")) % 24,
    minute: Number(field("minute")),
    second: Number(field("second")),
    abbreviation: field("timeZoneName"),
    zone,
    notices: [],
  };
}

/** Writes a date: `Wednesday, February 18, 2026` */
export function dateText({ weekday, month, day, year }: Moment): string {
  return `${weekday}, ${month} ${day}, ${year}`;
}

/** Writes a time: `08:34 PM`, or with seconds `08:34:05 PM` */
export function clockText({ hour, minute, second }: Moment, seconds = false): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const clock = [hour % 12 || 12, minute, ...(seconds ? [second] : [])].map(two).join(":");
  return `${clock} ${hour < 12 ? "AM" : "PM"}`;
}

/**
 * Returns the machine's time zone. Asking `Intl` costs half a Node start, so a machine on UTC, as most servers are, is not asked.
 */
export function localZone(): string {
  const offsets = [0, 6].map((month) => new Date(2026, month, 1).getTimezoneOffset());
  if (offsets.every((offset) => offset === 0)) return "UTC";
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
