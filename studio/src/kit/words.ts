/** How things are said everywhere on the page: numbers, money, times. */
const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const count = (value: number): string => whole.format(value);
export const shortCount = (value: number): string => short.format(value);
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** By how much something is more, or less. */
export const signed = (by: number): string => (by === 0 ? "±0" : `${by > 0 ? "+" : "−"}${count(Math.abs(by))}`);

/** Whether a number of tokens is what the model itself would count. */
export const exactness = ({ exact }: { readonly exact: boolean }): string => (exact ? "exact" : "estimated");

/** Dollars, with as many places as it takes to see something. */
export function dollars(value: number): string {
  if (value === 0) return "$0";
  const places = value >= 1 ? 2 : Math.min(8, 2 + Math.ceil(-Math.log10(Math.abs(value))));
  return `$${value.toFixed(places)}`;
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

export const dayText = (at: string): string => day.format(new Date(at));

export function timeText(at: string): string {
  const when = new Date(at);
  return when.toDateString() === new Date().toDateString()
    ? clock.format(when)
    : `${day.format(when)} ${clock.format(when)}`;
}

const shortClock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const shortDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** A time in a narrow column: 08:05 today, 16 Nov 08:05 this year, 16 Nov 2025 before. */
export function shortTime(at: string, now: Date = new Date()): string {
  const when = new Date(at);
  if (when.toDateString() === now.toDateString()) return shortClock.format(when);
  if (when.getFullYear() !== now.getFullYear()) return day.format(when);
  return `${shortDay.format(when)} ${shortClock.format(when)}`;
}

/** A share that is neither nothing nor all is never rounded to either. */
export function share(part: number, of: number): string {
  if (of === 0) return "–";
  if (part === 0 || part === of) return `${(100 * part) / of} %`;
  return `${Math.min(99.9, Math.max(0.1, (100 * part) / of)).toFixed(1)} %`;
}

/** Where a text comes from, as a label: a section's own text is current, or still the original. */
export function sourceText(source: string): string {
  return source === "standing" ? "current text" : source === "original" ? "original text" : source;
}

const steps: readonly (readonly [ms: number, word: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
];

/** How far away a time is, as people say it: “in 3 h”, “2 d ago”, “now”. */
export function fromNow(time: number, now: number): string {
  const away = Math.abs(time - now);
  const [ms, word] = steps.find(([step]) => away >= step) ?? [];
  if (ms === undefined) return "now";
  const many = `${Math.floor(away / ms)} ${word}`;
  return time > now ? `in ${many}` : `${many} ago`;
}

const prefix = "counterpart:";

/** Who writes letters stands where a user does, under a name no user has: “counterpart:shop/bo”. */
export function counterpartKey(name: string): string {
  return isCounterpart(name) ? name : prefix + name;
}

export function isCounterpart(user: string): boolean {
  return user.startsWith(prefix);
}

/** The name to show: that of a user as it is, that of who writes letters without what stands before it. */
export function shownName(user: string): string {
  return isCounterpart(user) ? user.slice(prefix.length) : user;
}
