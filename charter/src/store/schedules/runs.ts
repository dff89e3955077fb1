import { Problem } from "../../prompt/problem.ts";
import { lockAgentAlone } from "../agents.ts";
import { type NewDispatch, writeDispatches } from "../channels/dispatches.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database, Reach } from "../home/database.ts";
import {
  exactly,
  lockAgainstErasure,
  matching,
  type Page,
  pageOf,
  reachFilter,
  reachOf,
  recordOf,
} from "../home/query.ts";
import { raw, sql, timeOf } from "../home/sql.ts";
import { code, count, id, name, oneOf, type RecordOf, type RowOf, table, text, time, truth } from "../home/table.ts";
import { announceSent, planAnnouncement, type SentInto } from "../turns/session.ts";
import type { Announcement } from "../turns/turn.ts";
import {
  type Claimant,
  endOfLease,
  fail,
  finish,
  goneAmong,
  isOpen,
  isSpent,
  listFree,
  renew,
  take,
  type Work,
} from "../work.ts";

export const schedules = table(
  "schedules",
  { of: "user", key: ["id"], indexes: { schedules_due: "(next_at) where next_at is not null" } },
  {
    id: id(),
    title: text(),
    cron: code().nullable(),
    /** Time zone of its own; without one, the user's current one applies. */
    zone: name().nullable(),
    input: text(),
    channel: name(),
    /** Policy for times at which no worker was running: the newest is made up for (`once`), or none is. */
    missed: oneOf("once", "skip").usual("once"),
    /** Policy for a time at which the run before is still going. */
    overlap: oneOf("skip", "queue").usual("skip"),
    /** Maximum number of tries before a run has failed. */
    maxTries: count().usual(3),
    nextAt: time().nullable(),
    /** Last time it was due. */
    lastAt: time().nullable(),
    endedAt: time().nullable(),
    /** Time zone that its next time was computed in, if it has none of its own: when the user's zone changes, the time moves. */
    nextZone: name().nullable().hidden(),
    /** Of one without a user: its turns are the operator's own, who made it. Null: it was made before this was kept. */
    operator: truth().optional(),
    /** Whether untrusted text was in the turn that made it: its runs are tainted then. Null: it was made before this was kept. */
    tainted: truth().optional(),
  },
);

/** A turn that is run later: once, or repeatedly by a cron line. */
export type Schedule = RecordOf<typeof schedules>;

/** Runs of schedules, one for each time one was due: it ran, runs, will run, or says why it did not. */
export const runs = table(
  "runs",
  {
    of: "user",
    key: ["id"],
    unique: { runs_due: "(schedule, due_at)" },
    indexes: {
      // Lists runs.
      runs_scope: "(agent, user_id, due_at)",
      // Finds earlier runs of a schedule that are open.
      runs_open: "(schedule, due_at) where state in ('waiting', 'running')",
      // Finds what is due, oldest first: each worker asks again and again.
      runs_waiting: "(due_at, id) where state in ('waiting', 'running')",
    },
    keep: { when: "ended_at < {until}", size: "reason" },
  },
  {
    id: id(),
    schedule: id().refers("schedules", "it was run"),
    dueAt: time(),
    /**
     * State of the run. `waiting` and `running` are open; the others are final. `answered`: the reply is in its turn. `quiet`:
     * there was nothing to report. `missed`: no worker was running. `skipped`: the run before it was still going.
     */
    state: oneOf("waiting", "running", "answered", "quiet", "failed", "missed", "skipped"),
    tries: count(),
    /** Time of its next try; `null` once it has ended. */
    nextTryAt: time().nullable(),
    runner: name().nullable().passing(),
    leasedUntil: time().nullable().passing().hidden(),
    /** Turn of its last try. */
    turn: id().nullable(),
    /** Reason for its state, if that needs an explanation. */
    reason: text().nullable(),
    startedAt: time().nullable(),
    endedAt: time().nullable(),
  },
);

/** An occurrence of a schedule, and what happened. */
export type Run = RecordOf<typeof runs>;

/** A run that a worker has taken: no other works on it until the lease ends. */
export type ClaimedRun = Run & {
  readonly from: Schedule;
  /** Turn of the try before this one. Check it first: it may have been answered without being recorded. */
  readonly previousTurn: string | null;
  /** Shows that the worker of the last try died: there is no other try. */
  readonly exhausted: boolean;
};

/** The result of a try. `waiting`: it will be tried again. */
export type RunEnd =
  | {
      readonly state: "answered" | "quiet";
      readonly reason?: string | null;
      /** Turn whose answer it is, if that is not the last one begun. */
      readonly turn?: string;
      /** Messages to send to the user, stored with the result or not at all. */
      readonly dispatches?: readonly NewDispatch[];
      /** Announcement of the reply in the conversation that they are sent into. */
      readonly announcement?: Announcement;
      /** Channel of the conversation in which the reply is announced at once, if nothing is sent. */
      readonly said?: SentInto & { readonly channel: string };
    }
  | { readonly state: "failed"; readonly reason: string; readonly code: string }
  | { readonly state: "waiting"; readonly reason: string; readonly nextTryAt: string };

/**
 * The part of `store.runs` that workers use: take a run, keep it, and record its result. `createScheduler` in `charter/channels`
 * does all of it.
 */
export type RunClaims = {
  /** Lists the runs that can be taken now, the longest due first: those that wait, and those whose worker died. */
  readonly due: (about?: {
    readonly limit?: number;
    readonly isGone?: Claimant["isGone"];
  }) => Promise<readonly { readonly id: string; readonly tries: number }[]>;
  /**
   * Takes a run for another try; returns `undefined` if it has ended, is not due or is another worker's, or an earlier one is
   * open.
   */
  readonly claim: (id: string, claimant: Claimant) => Promise<ClaimedRun | undefined>;
  /** Renews the lease of a run; false if another worker has it by now. */
  readonly renew: (run: Run, leaseMs: number) => Promise<boolean>;
  /** Records the result of a try, once; returns `undefined` if another worker has the run by now, or it has ended. */
  readonly finishTry: (run: Run, end: RunEnd) => Promise<Run | undefined>;
};

/** Queue of runs: one of a schedule at a time, in the order of their times. The schedule says how often each is tried. */
export const runWork: Work<typeof runs> = {
  table: runs,
  taken: "running",
  dead: "failed",
  discarded: "skipped",
  order: (row) => `${row}due_at, ${row}id`,
  alone: ["schedule"],
  tryIs: "taken",
};

function createRunClaims({ home, now, newId }: Pick<StoreDeps, "home" | "now" | "newId">): RunClaims {
  return {
    due: ({ limit = 100, isGone } = {}) =>
      home.read("everything", async (db) => {
        const gone = await goneAmong(db, "runs", isOpen(runWork), { isGone });
        const free = await listFree(db, runWork, { among: matching({}), at: now(), limit, gone });
        return free.map(({ id, tries }) => ({ id, tries }));
      }),
    claim: (id, { runner, leaseMs, isGone }) =>
      home.write("everything", async (db) => {
        const at = now();
        const which = exactly({ id });
        const gone = await goneAmong(db, "runs", which, { isGone });
        const [row] = await listFree(db, runWork, { among: which, at, limit: 1, gone });
        if (!row) return undefined;
        const plan = await db.one<RowOf<typeof schedules>>(sql`select * from schedules where id = ${row.schedule}`);
        if (!plan) {
          await finish(db, runWork, which, "skipped", { reason: "Its schedule is gone.", ended_at: at });
          return undefined;
        }
        const exhausted = isSpent(runWork, row, plan.max_tries);
        const tries = exhausted ? row.tries : row.tries + 1;
        const turn = exhausted ? row.turn : turnOfRun(id, tries);
        const set = { tries, runner, next_try_at: null, started_at: row.started_at ?? at, turn };
        const among = exactly({ id, tries: row.tries, state: row.state });
        const [taken] = await take(db, runWork, [row], { among, at, leaseMs, gone, set });
        return (
          taken && { ...recordOf(runs, taken), from: recordOf(schedules, plan), previousTurn: row.turn, exhausted }
        );
      }),
    renew: (run, leaseMs) => home.write(run.scope, (db) => renew(db, runWork, ours(run), endOfLease(now(), leaseMs))),
    finishTry: (run, end) =>
      home.write(run.scope, async (db) => {
        const at = now();
        if (end.state === "answered") await lockAgainstErasure(db);
        // Lock on the agent comes first, as in every transaction that takes it.
        if (end.state === "answered" && end.said) await lockAgentAlone(db, run.scope.agent);
        const row = await endTry(db, run, end, at);
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
          recordEvent(db, at, { scope: run.scope, kind: "run-failed", turn: run.turn, detail });
        }
        return recordOf(runs, row);
      }),
  };
}

/** Returns the id of a try's own turn. It is known before the turn begins: after a crash the turn is found by it. */
function turnOfRun(run: string, tries: number): string {
  return `${run}-run-${tries}`;
}

/** Condition of turns `t` that are tries of a run, and the run's id, which says so when the run itself is no longer kept. */
export const runOfTurn = {
  is: raw("t.id like '%-run-%'"),
  id: raw("substr(t.id, 1, length(rtrim(t.id, '0123456789')) - length('-run-'))"),
};

const ours = ({ id, tries, runner }: Run) => sql`${matching({ id, state: "running", tries })} and runner = ${runner}`;

async function endTry(db: Database, run: Run, end: RunEnd, at: string): Promise<RowOf<typeof runs> | undefined> {
  const { reason = null } = end;
  if (end.state === "waiting")
    return fail(db, runWork, ours(run), { dead: false, nextTryAt: timeOf(end.nextTryAt), set: { reason } });
  const set = { reason, ended_at: at };
  if (end.state === "failed") return fail(db, runWork, ours(run), { dead: true, set });
  return finish(db, runWork, ours(run), end.state, { ...set, turn: end.turn });
}

/** Filter for a list of runs. */
type RunQuery = Page & {
  readonly agent?: string;
  readonly user?: string;
  readonly schedule?: string;
  readonly state?: Run["state"];
};

/** `store.runs`: the occurrences of schedules. */
export type Runs = RunClaims & {
  /** Lists runs, newest first, by when they were due. */
  readonly list: (about?: RunQuery) => Promise<Run[]>;
  readonly get: (id: string, reach?: Reach) => Promise<Run>;
};

export function createRuns(deps: StoreDeps): Runs {
  const { home } = deps;
  return {
    list: ({ agent, user, schedule, state, ...page } = {}) =>
      home.read(reachOf(agent, user), async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<RowOf<typeof runs>>(sql`select * from runs
          where ${matching({ agent, user_id: user, schedule, state })}
          order by due_at desc, id desc limit ${limit} offset ${offset}`);
        return rows.map((row) => recordOf(runs, row));
      }),
    get: (id, reach = "everything") =>
      home.read(reach, async (db) => {
        const row = await db.one<RowOf<typeof runs>>(sql`select * from runs where id = ${id}${reachFilter(reach)}`);
        if (row) return recordOf(runs, row);
        throw new Problem("unknown-run", `There is no run “${id}” here.`, "Check the id.");
      }),
    ...createRunClaims(deps),
  };
}
