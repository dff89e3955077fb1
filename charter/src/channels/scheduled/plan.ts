import { newestTimes, nextTime } from "../../schedules/next-time.ts";
import type { PlannedRun, SchedulePlan, SchedulePlanContext } from "../../store/schedules/planning.ts";
import type { Schedule } from "../../store/schedules/schedule-tables.ts";

/** A time is late, not missed, for so long. */
const graceMs = 5 * 60_000;

/** So many missed times are kept one by one; of those before them only that there were some. */
const maxListed = 100;

/**
 * What a schedule whose time has come comes to: one run at most, for the newest of the times that passed. The others
 * were missed. With `skip`, so was the newest when nobody was there in time.
 */
export function planSchedule(schedule: Schedule, { zone, openSince, now }: SchedulePlanContext): SchedulePlan {
  const { cron, missed, overlap } = schedule;
  const due = schedule.nextAt as string;
  const passed = timesPassed(cron, { zone, due, now });
  if (!passed) {
    const reason = `The cron line “${cron}” cannot be understood: the schedule is over.`;
    return { runs: [{ dueAt: due, state: "missed", reason }], nextAt: null };
  }
  const { times, nextAt } = passed;
  const newest = times.at(-1) as string;
  const unlisted = times.length > maxListed + 1;
  const earlier = times.slice(unlisted ? 1 : 0, -1).map((dueAt, index): PlannedRun => {
    const others = unlisted && index === 0 ? ` So it was with others before it, since ${due}.` : "";
    return { dueAt, state: "missed", reason: `${nobody}${others}` };
  });
  const tooLate = missed === "skip" && Date.parse(now) - Date.parse(newest) > graceMs;
  const last: PlannedRun = tooLate
    ? { dueAt: newest, state: "missed", reason: nobody }
    : openSince !== null && overlap === "skip"
      ? { dueAt: newest, state: "skipped", reason: `The run of ${openSince} was still going.` }
      : { dueAt: newest, state: "waiting" };
  return { runs: [...earlier, last], nextAt, ...(unlisted ? { unlisted } : {}) };
}

type PassedQuery = { readonly zone: string; readonly due: string; readonly now: string };

/** The times that passed, the newest last, and the next one. `undefined`: nobody understands the line. */
function timesPassed(cron: string | null, { zone, due, now }: PassedQuery) {
  if (cron === null) return { times: [due], nextAt: null };
  try {
    const times = newestTimes({ cron, zone }, { from: due, to: now, max: maxListed + 2 });
    // A time that was worked out in a zone the user has left since is still a time that was due.
    return { times: times.length === 0 ? [due] : times, nextAt: nextTime({ cron, zone, after: now }) };
  } catch {
    return undefined;
  }
}

const nobody = "Nobody was running schedules when it was due.";
