import { lockAgentAlone } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import { lockAgainstErasure } from "../home/query.ts";
import { sql } from "../home/sql.ts";
import { timeOf } from "../home/time.ts";
import { type NewDispatch, writeDispatches } from "../outbox/dispatch-row.ts";
import { announceSent, type SentInto } from "../turns/announce-sent.ts";
import { type Announcement, planAnnouncement } from "../turns/announcement.ts";
import { type Run, type RunRow, runOf } from "./run.ts";
import { type Schedule, type ScheduleRow, scheduleOf } from "./schedule.ts";

/** A run that a worker has taken: no other works on it until the lease ends. */
export type ClaimedRun = Run & {
  readonly from: Schedule;
  /** The turn of the try before this one. Look at it first: it may have been answered without being recorded. */
  readonly previousTurn: string | null;
  /** The worker of the last try died: there is no other try. */
  readonly exhausted: boolean;
};

/** Who takes a run, and for how long. */
export type Claimant = {
  /** The name of the worker (“host:pid”). */
  readonly runner: string;
  readonly leaseMs: number;
  /** Whether a worker is known to have died: then its lease is not waited for. */
  readonly isGone?: (runner: string) => boolean;
};

/** The result of a try. `waiting`: it will be tried again. */
export type RunEnd =
  | {
      readonly state: "answered" | "quiet";
      readonly reason?: string | null;
      /** The turn whose answer it is, where that is not the last one begun. */
      readonly turn?: string;
      /** What is sent to the user for it: written with it, or not at all. */
      readonly dispatches?: readonly NewDispatch[];
      /** How the conversation they are sent into tells of them. */
      readonly announcement?: Announcement;
      /** It is sent nowhere: it is said at once in the conversation that goes on over this channel. */
      readonly said?: SentInto & { readonly channel: string };
    }
  | { readonly state: "failed"; readonly reason: string; readonly code: string }
  | { readonly state: "waiting"; readonly reason: string; readonly nextTryAt: string };

/**
 * The part of `store.runs` that workers use: take a run, keep it, and record its result. `createScheduler` in
 * `charter/channels` does all of it.
 */
export type RunClaims = {
  /** The runs that can be taken now, the longest due first: those that wait, and those whose worker died. */
  readonly due: (about?: {
    readonly limit?: number;
    readonly isGone?: Claimant["isGone"];
  }) => Promise<readonly { readonly id: string; readonly tries: number }[]>;
  /** Takes a run for another try; `undefined` when it is over, not due, someone else's, or an earlier one is open. */
  readonly claim: (id: string, taker: Claimant) => Promise<ClaimedRun | undefined>;
  /** Says that the worker is alive; false if another has the run by now. */
  readonly renew: (run: Run, leaseMs: number) => Promise<boolean>;
  /** Records the result of a try, once; `undefined` if another has the run by now, or it is over. */
  readonly finishTry: (run: Run, end: RunEnd) => Promise<Run | undefined>;
};

export function createRunClaims({ home, now, newId }: Pick<StoreDeps, "home" | "now" | "newId">): RunClaims {
  const later = (at: string, ms: number) => new Date(Date.parse(at) + ms).toISOString();
  return {
    due: ({ limit = 100, isGone = () => false } = {}) =>
      home.read("everything", async (db) => {
        const at = now();
        const rows = await db.all<RunRow>(sql`select * from runs r where ended_at is null
          and ((state = 'waiting' and next_try_at <= ${at}) or state = 'running')
          and not exists (select 1 from runs e where e.schedule = r.schedule and e.due_at < r.due_at and e.ended_at is null)
          order by due_at, id limit ${limit + maxRunning}`);
        const free = ({ state, leased_until, runner }: RunRow) =>
          state === "waiting" || (leased_until ?? "") < at || (runner !== null && isGone(runner));
        return rows
          .filter(free)
          .slice(0, limit)
          .map(({ id, tries }) => ({ id, tries }));
      }),
    claim: (id, { runner, leaseMs, isGone = () => false }) =>
      home.write("everything", async (db) => {
        const at = now();
        const row = await db.one<RunRow>(sql`select * from runs where id = ${id} and ended_at is null`);
        const plan = row && (await db.one<ScheduleRow>(sql`select * from schedules where id = ${row.schedule}`));
        if (!row) return undefined;
        if (!plan) {
          await db.run(sql`update runs set state = 'skipped', because = ${"Its schedule is gone."}, ended_at = ${at},
            next_try_at = ${null}, leased_until = ${null} where id = ${id} and ended_at is null`);
          return undefined;
        }
        const gone = row.runner !== null && row.state === "running" && isGone(row.runner) ? row.runner : "";
        const spent = row.state === "running" && row.tries >= plan.most_tries;
        const tries = spent ? row.tries : row.tries + 1;
        const taken = await db.one<RunRow>(sql`update runs set state = 'running', tries = ${tries}, runner = ${runner},
            leased_until = ${later(at, leaseMs)}, next_try_at = ${null}, started_at = coalesce(started_at, ${at}),
            turn = ${spent ? row.turn : turnOfRun(id, tries)}
          where id = ${id} and tries = ${row.tries} and ended_at is null and ((state = 'waiting' and next_try_at <= ${at})
            or (state = 'running' and (leased_until < ${at} or runner = ${gone})))
          and not exists (select 1 from runs e where e.schedule = runs.schedule and e.due_at < runs.due_at
            and e.ended_at is null) returning *`);
        return taken && { ...runOf(taken), from: scheduleOf(plan), previousTurn: row.turn, exhausted: spent };
      }),
    renew: (run, leaseMs) =>
      home.write(run.scope, async (db) => {
        const still = await db.run(sql`update runs set leased_until = ${later(now(), leaseMs)} where ${ours(run)}`);
        return still > 0;
      }),
    finishTry: (run, end) =>
      home.write(run.scope, async (db) => {
        const at = now();
        // The agent first, as everyone who locks it does.
        if (end.state === "answered" && end.said) {
          await lockAgainstErasure(db);
          await lockAgentAlone(db, run.scope.agent);
        }
        const { state, reason: because = null } = end;
        const next = end.state === "waiting" ? timeOf(end.nextTryAt) : null;
        const row = await db.one<RunRow>(sql`update runs set state = ${state}, because = ${because}, runner = ${null},
            leased_until = ${null}, next_try_at = ${next}, ended_at = ${next === null ? at : null},
            turn = ${"turn" in end ? (end.turn ?? run.turn) : run.turn}
          where ${ours(run)} returning *`);
        if (!row) return undefined;
        if (end.state === "answered") {
          const { dispatches = [], announcement, said } = end;
          const written = await writeDispatches(db, { now, newId }, dispatches);
          if ((written.length > 0 || said) && row.turn !== null && announcement)
            await planAnnouncement(db, row.turn, announcement);
          if (said && row.turn !== null) await announceSent(db, { now, newId }, { ...said, turn: row.turn });
        }
        if (end.state === "failed") {
          const detail = { run: run.id, schedule: run.schedule, dueAt: run.dueAt, tries: run.tries, code: end.code };
          await recordEvent(db, at, { scope: run.scope, kind: "run-failed", turn: run.turn, detail });
        }
        return runOf(row);
      }),
  };
}

/** So many may be running beside those that wait: leased ones are looked through for those that are free. */
const maxRunning = 1000;

/** Each try has a turn of its own, whose name is known before it begins: after a crash it is looked up by it. */
function turnOfRun(run: string, tries: number): string {
  return `${run}-run-${tries}`;
}

const ours = ({ id, tries, runner }: Run) =>
  sql`id = ${id} and state = 'running' and tries = ${tries} and runner = ${runner}`;
