import type { ScheduleListAnswer } from "charter/answers";
import { cronTimes } from "./cron-times.ts";

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
