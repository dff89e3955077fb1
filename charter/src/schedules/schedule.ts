import { Cron } from "croner";
import type { Scope } from "../amend/amendment.ts";
import { checkNames, checkNeeded, isObject, isText } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { Notice } from "../prompt/reading.ts";
import type { Schedule } from "../store/schedules/runs.ts";
import { checkZone, isZone } from "../store/scope.ts";
import type { Store } from "../store/store.ts";

/** A turn to be run later: repeatedly by a cron line, or once at a given time. */
export type CreateScheduleOptions = {
  readonly scope: Scope;
  readonly title: string;
  readonly input: string;
  readonly cron?: string | undefined;
  /** A time with its zone, or a local time in the schedule's zone. */
  readonly at?: string | undefined;
  /** The schedule's own time zone. Without one it follows the user's, also when that changes. */
  readonly zone?: string | undefined;
  readonly missed?: Schedule["missed"] | undefined;
  readonly overlap?: Schedule["overlap"] | undefined;
  readonly maxTries?: number | undefined;
  readonly channel?: string | undefined;
  /** Says that an operator asks for it: without a user, its turns are the operator's own, not jobs. */
  readonly operator?: boolean | undefined;
  /**
   * The turn that asks for the schedule, and whether untrusted text is in it: its runs are tainted then. A tool gives its context.
   * Without it the words are your program's.
   */
  readonly by?: { readonly turn: string; readonly tainted: boolean } | undefined;
  /** The zone of users who have set none; UTC by default. */
  readonly defaultZone?: string | undefined;
};

/** Maximum number of schedules a user may have with an agent at a time. */
const maxSchedules = 100;

const scheduleFields = "scope title input cron at zone missed overlap maxTries channel operator by defaultZone".split(
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
  const { scope, cron, at, zone, channel, operator = false } = options;
  const title = options.title.trim();
  checkWords(title, options.input);
  const policy = policyOf(options);
  if (zone !== undefined) checkZone(zone);
  const defaultZone = await zoneFor(store, scope, options.defaultZone);
  const effectiveZone = zone ?? defaultZone;
  const line = cron === undefined ? undefined : soundCron(cron, effectiveZone, now);
  if ((line === undefined) === (at === undefined))
    throw badSchedule("needs either a cron line or a time", "Give one of them: `cron` to repeat, `at` for once.");
  const nextAt =
    line === undefined
      ? momentOf(at as string, effectiveZone)
      : (nextTime({ cron: line, zone: effectiveZone, after: now.toISOString() }) as string);
  if (line === undefined && nextAt <= now.toISOString())
    throw badSchedule(
      `is for ${nextAt}, which is past`,
      `Give a time after ${now.toISOString()}; one without a zone is read in ${effectiveZone}.`,
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
    turn: options.by?.turn,
    tainted: options.by?.tainted ?? false,
    operator,
    ...policy,
    ...(line === undefined ? {} : { cron: line }),
    ...(zone === undefined ? {} : { zone }),
    ...(line === undefined || zone !== undefined ? {} : { nextZone: defaultZone }),
    ...(channel === undefined ? {} : { channel }),
  });
}

/** Tells whether a schedule's runs are tainted. Of a user's that was made before this was kept nobody knows, so they are. */
export function isTainted({ tainted, scope }: Pick<Schedule, "tainted" | "scope">): boolean {
  return tainted ?? scope.user !== undefined;
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

const names = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/i;

/** Returns a cron line with single spaces, as it is stored; a Problem says what is wrong with it. */
function soundCron(line: string, zone: string, now: Date): string {
  const cron = line.trim().replace(/\s+/g, " ");
  const bad = (because: string) =>
    new Problem(
      "bad-cron",
      `The cron line “${line.slice(0, 100)}” ${because}.`,
      "Give minute, hour, day of the month, month and day of the week, as in “0 8 * * 1-5”.",
    );
  const fields = cron.split(" ");
  if (cron.length > 200 || (!names.test(cron) && fields.length !== 5 && fields.length !== 6))
    throw bad("has not five fields (or six, with seconds first)");
  // A fixed second keeps two of its times at least a minute apart.
  if (fields.length === 6 && !/^\d+$/.test(fields[0] as string)) throw bad("comes more often than once a minute");
  let next: string | null;
  try {
    next = nextTime({ cron, zone, after: now.toISOString() });
  } catch (error) {
    throw bad(`cannot be understood: ${reason(error)}`);
  }
  if (next === null) throw bad("never comes");
  return cron;
}

function reason(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return words.replace(/^Cron\w*: /, "").replace(/\.$/, "");
}

/** A cron line, the time zone it is read in, and the time after which its next one is looked for. */
type NextTimeOptions = { readonly cron: string; readonly zone: string; readonly after: string };

/**
 * Returns the next time of a cron line in a time zone, after a given time; `null` if there is none. An unknown zone counts as
 * UTC.
 *
 * When the clocks change: a line with one hour and one minute comes once on every day it names. A time that spring skips comes at
 * the first minute after the gap, a time that autumn repeats comes the first time. A line with several hours or minutes (lists,
 * ranges, steps) follows the clock on the wall: it leaves out what spring skips, and comes twice in the hour autumn repeats.
 */
export function nextTime({ cron, zone, after }: NextTimeOptions): string | null {
  return timesOf(cron, zone).nextRun(new Date(after))?.toISOString() ?? null;
}

/** Returns the newest times of a cron line from `from` to `to`, both included, in order: at most `max` of them. */
export function newestTimes(
  { cron, zone }: Pick<NextTimeOptions, "cron" | "zone">,
  { from, to, max }: { readonly from: string; readonly to: string; readonly max: number },
): string[] {
  // `croner` leaves out the time it counts back from, so it starts a second later; times are whole seconds.
  const after = new Date(Date.parse(to) + 1000);
  const times = timesOf(cron, zone);
  // Counting back one time takes as long as a read of the store, and most often one has passed: the first try asks for two.
  for (let count = 2; ; count = Math.min(count * 6, max + 1)) {
    const newest = times.previousRuns(count, after).map((time) => time.toISOString());
    if (count <= max && newest.length === count && (newest.at(-1) as string) >= from) continue;
    return newest
      .filter((time) => time >= from && time <= to)
      .slice(0, max)
      .reverse();
  }
}

function timesOf(cron: string, zone: string): Cron {
  return new Cron(cron, { timezone: soundZone(zone), mode: "5-or-6-parts" });
}

const withoutZone = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.\d+)?)?)?$/;

/**
 * Returns the moment that a text names. A text with a zone (`2026-03-01T09:00:00+01:00`, `…Z`) is read as it stands, any other in
 * the given zone. A time the spring leaves out is as long after the gap as it would have been; of one the autumn has twice, the
 * first is taken.
 */
export function momentOf(words: string, zone: string): string {
  const text = words.trim();
  const [, day, clock = "09:00", second = "00"] = withoutZone.exec(text) ?? [];
  if (day === undefined) {
    if (!/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) || Number.isNaN(Date.parse(text))) throw badTime(words);
    return new Date(text).toISOString();
  }
  const asUtc = `${day}T${clock}:${second}`;
  const read = new Date(`${asUtc}Z`);
  // Rejects the 30th of February, which `Date` would turn into a day of March.
  if (Number.isNaN(read.getTime()) || read.toISOString().slice(0, 19) !== asUtc) throw badTime(words);
  const moment = new Cron(asUtc, { timezone: soundZone(zone) }).getOnce();
  if (!moment) throw badTime(words);
  return moment.toISOString();
}

function badTime(words: string): Problem {
  return new Problem("bad-time", `“${words}” is no time.`, "Give an ISO 8601 time, as in 2026-02-18T15:04:00Z.");
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Writes a moment as people in that zone would: `2026-03-01 09:00 (Europe/Berlin)`. */
export function localText(moment: string, zone: string): string {
  const timeZone = soundZone(zone);
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
    formats.set(timeZone, format);
  }
  return `${format.format(new Date(moment))} (${timeZone})`;
}

/** Returns the zone if it is known, else UTC, as prompts do. */
function soundZone(zone: string): string {
  return isZone(zone) ? zone : "UTC";
}

/** Returns the zone that applies to a user: their own, else the agent's, else the operator's default, else UTC. */
export async function zoneFor(store: Store, { agent, user }: Scope, defaultZone = "UTC"): Promise<string> {
  const own = await store.users.zoneOf(user);
  if (own) return own;
  const { zone } = (await store.agents.find(agent))?.settings ?? {};
  return soundZone(typeof zone === "string" ? zone : defaultZone);
}

/**
 * Warns whoever sets a schedule for a user who has linked no chat: its answers appear on the web only, and nothing announces
 * them. An agent's own schedule has no user, so it gets no notice.
 */
export async function reachNotices(store: Store, { agent, user }: Scope): Promise<Notice[]> {
  if (user === undefined || (await store.links.of({ agent, user })).length > 0) return [];
  const message = `“${user}” has linked no chat with “${agent}”: its answers are sent nowhere, and are in their conversation on the web.`;
  return [{ code: "user-unreachable", message }];
}
