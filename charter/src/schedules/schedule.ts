import type { Scope } from "../amend/amendment.ts";
import { checkNames, checkNeeded, isObject, isText } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { Schedule } from "../store/schedules/schedule-tables.ts";
import { checkZone } from "../store/scope.ts";
import type { Store } from "../store/store.ts";
import { soundCron } from "./cron.ts";
import { momentOf } from "./local-time.ts";
import { nextTime } from "./next-time.ts";
import { zoneFor } from "./zone.ts";

/** A turn to be run later: repeatedly by a cron line, or once at a given time. */
export type CreateScheduleOptions = {
  readonly scope: Scope;
  readonly title: string;
  readonly input: string;
  readonly cron?: string | undefined;
  /** A time with its zone, or a local time in the schedule's zone. */
  readonly at?: string | undefined;
  /** Its own time zone. Without one it follows the user's, also when that changes. */
  readonly zone?: string | undefined;
  readonly missed?: Schedule["missed"] | undefined;
  readonly overlap?: Schedule["overlap"] | undefined;
  readonly maxTries?: number | undefined;
  readonly channel?: string | undefined;
  /** The turn that asks for it. */
  readonly turn?: string | undefined;
  /** The zone of users who have set none; UTC, unless given. */
  readonly defaultZone?: string | undefined;
};

/** So many a user may have with an agent at a time. */
const maxSchedules = 100;

const scheduleFields = "scope title input cron at zone missed overlap maxTries channel turn defaultZone".split(
  " ",
) as (keyof CreateScheduleOptions)[];

/** Checks a schedule and stores it, with the first time it will run. A scheduler has to be running for it. */
export async function createSchedule(options: CreateScheduleOptions, store: Store, now: Date): Promise<Schedule> {
  checkNeeded<CreateScheduleOptions>("createSchedule", options, {
    scope: [isObject, "Give { agent }, or { agent, user }: names."],
    title: [isText, "Give a title."],
    input: [isText, "Give what the agent is asked each time."],
  });
  checkNames("createSchedule", options, scheduleFields);
  const { scope, cron, at, zone, channel } = options;
  const title = options.title.trim();
  checkWords(title, options.input);
  const policy = policyOf(options);
  if (zone !== undefined) checkZone(zone);
  const usual = await zoneFor(store, scope, options.defaultZone);
  const its = zone ?? usual;
  const line = cron === undefined ? undefined : soundCron(cron, its, now);
  if ((line === undefined) === (at === undefined))
    throw badSchedule("needs either a cron line or a time", "Give one of them: `cron` to repeat, `at` for once.");
  const nextAt =
    line === undefined
      ? momentOf(at as string, its)
      : (nextTime({ cron: line, zone: its, after: now.toISOString() }) as string);
  if (line === undefined && nextAt <= now.toISOString())
    throw badSchedule(
      `is for ${nextAt}, which is past`,
      `Give a time after ${now.toISOString()}; one without a zone is read in ${its}.`,
    );
  const { agent, user } = scope;
  const same = (await store.schedules.list({ agent, user: user ?? "", limit: maxSchedules })).length;
  if (same >= maxSchedules)
    throw badSchedule(
      `would be one too many: there are ${maxSchedules} already`,
      "Cancel one that is not needed any more.",
    );
  return store.schedules.add({
    scope,
    title,
    input: options.input,
    nextAt,
    turn: options.turn,
    ...policy,
    ...(line === undefined ? {} : { cron: line }),
    ...(zone === undefined ? {} : { zone }),
    ...(line === undefined || zone !== undefined ? {} : { nextZone: usual }),
    ...(channel === undefined ? {} : { channel }),
  });
}

function checkWords(title: string, input: string): void {
  if (title === "" || title.length > 200 || /\p{Cc}/u.test(title))
    throw badSchedule("has no title that can be shown", "Give 1 to 200 characters on one line.");
  if (input.trim() === "" || input.length > 20_000)
    throw badSchedule("has nothing to ask, or too much", "Give an input of 1 to 20,000 characters.");
}

function policyOf({ missed = "once", overlap = "skip", maxTries = 3 }: CreateScheduleOptions) {
  if (missed !== "once" && missed !== "skip")
    throw badSchedule(`has “${missed}” for what was missed`, "Say once (the newest is made up for) or skip.");
  if (overlap !== "skip" && overlap !== "queue")
    throw badSchedule(`has “${overlap}” for what overlaps`, "Say skip, or queue (it waits for the run before it).");
  if (!Number.isSafeInteger(maxTries) || maxTries < 1 || maxTries > 10)
    throw badSchedule(`has ${maxTries} for its tries`, "Give a whole number from 1 to 10.");
  return { missed, overlap, maxTries };
}

function badSchedule(because: string, hint: string): Problem {
  return new Problem("bad-schedule", `The schedule ${because}.`, hint);
}
