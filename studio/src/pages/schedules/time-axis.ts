/** A stretch of time around now, and where a time lies on it, from 0 to 1. */
export type Axis = { readonly start: number; readonly end: number; readonly now: number };

export const spans = { day: 24 * 3_600_000, week: 7 * 24 * 3_600_000 } as const;

export type Span = keyof typeof spans;

export function axisAround(now: number, span: Span): Axis {
  return { start: now - spans[span], end: now + spans[span], now };
}

export function placeOn({ start, end }: Axis, time: number): number | undefined {
  return time < start || time > end ? undefined : (time - start) / (end - start);
}

/** The lines of the axis by the clock on the wall: midnights in a week, every sixth hour in two days. */
export function marksOf(axis: Axis, span: Span): readonly { readonly at: number; readonly midnight: boolean }[] {
  const marks: { at: number; midnight: boolean }[] = [];
  const day = new Date(axis.start);
  day.setHours(0, 0, 0, 0);
  for (; day.getTime() <= axis.end; day.setDate(day.getDate() + 1))
    for (const hour of span === "day" ? [0, 6, 12, 18] : [0]) {
      const at = new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour).getTime();
      if (at >= axis.start && at <= axis.end) marks.push({ at, midnight: hour === 0 });
    }
  return marks;
}
