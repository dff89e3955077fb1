import type { ScheduleListAnswer } from "charter/answers";
import { Cron } from "croner";

export type Schedule = ScheduleListAnswer["schedules"][number];

/** The times a schedule comes from its next one on. `known`: whether all of them are here, and not the next alone. */
export type Ahead = { readonly times: readonly number[]; readonly known: boolean; readonly zone: string | undefined };

/** So many ticks are drawn of one schedule; where there are more, they are a band. */
export const maxTicks = 300;

/**
 * The server says when a schedule comes next; when it comes after that is reckoned here. A line without a zone goes by
 * that of its user, its agent or the server: of those that may be meant, it is one by which it comes next when the server
 * says it does. Where none does, nothing is made up.
 */
export function aheadOf({ cron, zone, nextAt }: Schedule, zones: readonly string[], until: number): Ahead {
  if (nextAt === null) return { times: [], known: true, zone: undefined };
  const from = Date.parse(nextAt);
  if (cron === null) return { times: [from], known: true, zone: undefined };
  for (const one of zone === null ? zones : [zone]) {
    if (cronTimes({ cron, zone: one, from, to: from, max: 1 })?.length !== 1) continue;
    const times = cronTimes({ cron, zone: one, from, to: Math.max(from, until), max: maxTicks }) ?? [];
    return { times, known: true, zone: one };
  }
  return { times: [from], known: false, zone: zone ?? undefined };
}

export type CronTimesOptions = {
  readonly cron: string;
  readonly zone: string;
  /** In milliseconds, both included. */
  readonly from: number;
  readonly to: number;
  readonly max: number;
};

/**
 * When a cron line comes by a zone's clock, in order, at most `max` times: reckoned as the server does. Nothing comes back
 * for a line or a zone that is none.
 */
export function cronTimes({ cron, zone, from, to, max }: CronTimesOptions): readonly number[] | undefined {
  const fields = cron.trim().split(/\s+/);
  // One second in the minute, or none: the server takes no other, nor a moment, which croner would.
  if (fields.length === 6 ? !/^\d+$/.test(fields[0] as string) : fields.length !== 5 && !cron.includes("@"))
    return undefined;
  try {
    const line = new Cron(cron.trim(), { timezone: zone, mode: "5-or-6-parts" });
    const times: number[] = [];
    for (let next = line.nextRun(new Date(from - 1)); next && times.length < max; next = line.nextRun(next)) {
      if (next.getTime() > to) break;
      times.push(next.getTime());
    }
    return times;
  } catch {
    return undefined;
  }
}

const when = (zone?: string) =>
  new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    ...(zone === undefined ? {} : { timeZone: zone }),
  });

/** A time by the clock of whoever looks; and where the clock it goes by shows another hour, that too. */
export function clockWords(time: number, zone?: string): string {
  const here = when().format(time);
  if (zone === undefined) return here;
  const there = when(zone).format(time);
  return there === here ? here : `${here} (${there.slice(-5)} in ${zone})`;
}

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
