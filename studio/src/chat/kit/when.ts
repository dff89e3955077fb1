/** Times as the reader's own browser says them: by this device's clock, or by that of a zone. */
type Zone = string | undefined;

const formats = new Map<string, Intl.DateTimeFormat>();

function format(options: Intl.DateTimeFormatOptions, zone: Zone): Intl.DateTimeFormat {
  const key = JSON.stringify([options, zone]);
  const known =
    formats.get(key) ?? new Intl.DateTimeFormat(undefined, { ...options, ...(zone ? { timeZone: zone } : {}) });
  formats.set(key, known);
  return known;
}

const clock = { hour: "2-digit", minute: "2-digit" } as const;
const near = { weekday: "short", day: "numeric", month: "short" } as const;
const far = { day: "numeric", month: "short", year: "numeric" } as const;

/** “14:05” today, “Tue 3 Mar, 14:05” around it, with the year further away. */
export function whenText(
  at: string,
  { now = new Date(), zone }: { readonly now?: Date; readonly zone?: Zone } = {},
): string {
  const when = new Date(at);
  const time = format(clock, zone).format(when);
  const day = (date: Date) => format(far, zone).format(date);
  if (day(when) === day(now)) return time;
  const isNear = Math.abs(when.getTime() - now.getTime()) < 180 * 86_400_000;
  return `${isNear ? format(near, zone).format(when) : day(when)}, ${time}`;
}

/** Which stretch of time a conversation belongs to, as lists are parted. */
export function ageText(at: string, now = new Date()): string {
  const start = new Date(now);
  start.setHours(0, 0, 0, 0);
  const days = (start.getTime() - new Date(at).getTime()) / 86_400_000;
  if (days <= 0) return "Today";
  if (days <= 1) return "Yesterday";
  return days <= 7 ? "Last 7 days" : "Earlier";
}

/** Where this device is. */
export const deviceZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
