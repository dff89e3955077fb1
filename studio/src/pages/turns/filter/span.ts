import { firstDay } from "../../money/day-range.ts";

/** A stretch of days one often asks for. */
export const stretches = ["today", "yesterday", "week"] as const;
export type Stretch = (typeof stretches)[number];

/** Which days are meant: one of those, or from one day on, until another (`2026-11-17`, both included). */
export type Days = {
  readonly when?: Stretch | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
};

/** From a moment on, until before another. */
export type Span = { readonly from?: string; readonly to?: string };

/**
 * The moments that days begin and end at, where the reader is: days of 23 and 25 hours included. A week is today and the six
 * days before it in UTC, as Home and Money count it.
 */
export function spanOf({ when, since, until }: Days, now: Date): Span {
  if (when === "today") return { from: midnight(now, 0) };
  if (when === "yesterday") return { from: midnight(now, -1), to: midnight(now, 0) };
  if (when === "week") return { from: `${firstDay("7", now)}T00:00:00.000Z` };
  return {
    ...(since === undefined ? {} : { from: midnight(dayIn(since) as Date, 0) }),
    ...(until === undefined ? {} : { to: midnight(dayIn(until) as Date, 1) }),
  };
}

/** A day that exists, as its first moment here; nothing where the text is no such day. */
export function dayIn(text: string): Date | undefined {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!found) return undefined;
  const [year, month, date] = found.slice(1).map(Number) as [number, number, number];
  const day = new Date(year, month - 1, date);
  // Years before 100 would be read as of the last century, and the 31st of a short month as the next one’s first.
  const isSame = day.getFullYear() === year && day.getMonth() === month - 1 && day.getDate() === date;
  return isSame ? day : undefined;
}

function midnight(day: Date, later: number): string {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + later).toISOString();
}
