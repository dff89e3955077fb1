import type { Scope } from "../../amend/amendment.ts";
import {
  checkNames,
  checkNeeded,
  type FieldChecks,
  isList,
  isObject,
  isText,
  optional,
} from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { StepResult } from "../../prompt/step-result.ts";
import { lockWorkingAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database, Reach } from "../home/database.ts";
import {
  findIds,
  insertInto,
  lockAgainstErasure,
  lockNamed,
  ownRows,
  reachFilter,
  recordGiven,
} from "../home/query.ts";
import { joinQueries, listOf, raw, sql } from "../home/sql.ts";
import { checkName, checkScope } from "../scope.ts";
import { type NewAttachment, putAttachments } from "./attachments.ts";
import {
  countTurns,
  createWordIndexer,
  factsOfTurns,
  type ListTurnsOptions,
  listTurns,
  sumTurns,
  type TurnFilter,
  type TurnOverview,
  type TurnSums,
  turnFilters,
} from "./list-turns.ts";
import { createStepRecorder, type NewStep, type RecordedStep } from "./record-step.ts";
import { insertSession, sinceColumns, unknownSession } from "./session.ts";
import type { Expense } from "./spending.ts";
import { closeTurn, type InterruptOptions, interruptTurns, recordStepResult, type TurnEnd } from "./step-result.ts";
import { findTurn, leaseEnd, leaseOf, type Turn, type TurnHints, type TurnRow, turnOf, turns } from "./turn.ts";

export type { Turn } from "./turn.ts";

/**
 * A turn that was opened. `isNext`: it directly follows `after`; nothing else was opened or announced in the session between the
 * two.
 */
export type OpenedTurn = Turn & { readonly isNext?: boolean };

/** A turn found by what its client showed. `isNewest`: no other was opened in its session since. */
export type ShownTurn = Turn & { readonly shown: string; readonly isNewest: boolean };

type Newest = { readonly newest: number };

/**
 * Taint of a session: whether one of its last 1,000 turns was tainted, and whether turns came in the other one: since its
 * newest, or at all while it has none.
 */
type SessionTaint = { readonly isNew: boolean; readonly tainted: boolean; readonly beside: boolean };

type TaintRow = Partial<Record<"tainted" | "others", number | null> & Record<"place" | "later", string | null>>;

/**
 * `store.turns`: records turns as they happen. A loop of your own opens a turn, records each step before the model is asked and
 * its result after, and closes the turn.
 */
export type Turns = {
  readonly open: (turn: NewTurn) => Promise<OpenedTurn>;
  /**
   * Stores the receipt of the next request, before the model is asked. Throws a Problem if the turn was interrupted or the agent
   * is frozen.
   */
  readonly recordStep: (turn: string, step: NewStep) => Promise<RecordedStep>;
  /**
   * Stores the result of a step: the complete result each time, but its cost only once. Returns the turn's state: stop if it is
   * no longer running.
   */
  readonly recordResult: (
    turn: string,
    step: number,
    result: StepResult,
    about?: TurnHints & { readonly spent?: Expense },
  ) => Promise<Turn["state"]>;
  /**
   * Ends a turn, once. A turn that was erased or marked as interrupted meanwhile stays so: check `state` before you send the
   * reply.
   */
  readonly close: (turn: string, end: TurnEnd) => Promise<Turn>;
  /** Marks turns that no process works on any more as interrupted, and returns them. */
  readonly interruptAbandoned: (about?: InterruptOptions) => Promise<Turn[]>;
  /** Lists the turns that match the whole filter, newest first unless another order is given. */
  readonly list: (about?: ListTurnsOptions) => Promise<Turn[]>;
  /** Counts the turns that match the whole filter. */
  readonly count: (filter?: TurnFilter) => Promise<number>;
  /** Returns the model, cost, usage and events of these turns, by their ids. */
  readonly factsOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, TurnOverview>>;
  /** Adds up the turns of these agents since some time, by agent. */
  readonly sums: (agents: readonly string[], since: string) => Promise<ReadonlyMap<string, TurnSums>>;
  readonly get: (turn: string, reach?: Reach) => Promise<Turn>;
  /**
   * Returns the turns of exactly this scope that were asked while the client showed one of these, newest first; with `others`, also
   * those of its user with these agents.
   */
  readonly withShown: (scope: Scope, digests: readonly string[], others?: readonly string[]) => Promise<ShownTurn[]>;
  /** Returns the taint of a session and of one beside it, whose turns may belong to it. */
  readonly taintOf: (scope: Scope, session: string, other: string) => Promise<SessionTaint>;
  /** Returns the context that was stored with a turn; undefined if there is none. */
  readonly contextOf: (turn: string, reach?: Reach) => Promise<unknown>;
  /** Returns the ids of the erased turns among these. */
  readonly findErased: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
};

/** Facts needed to open a turn: whether the agent's turns are counted in `totals`, and what is in the session. */
type TurnPlace = {
  readonly counted: number;
  /** Time at which the newest turn of the session was opened. */
  readonly newest?: string | null;
  readonly after_at?: string | null;
  readonly moved?: number;
};

/**
 * Takes the locks and reads the facts that opening a turn needs. It comes first in the transaction: until that ends, nobody is
 * erased, no agent is frozen, and no other turn opens in the session unseen.
 */
async function findPlace(
  db: Database,
  {
    scope,
    session,
    inSession = false,
    after,
  }: Pick<NewTurn, "scope" | "inSession" | "after"> & { session: string | null },
): Promise<TurnPlace> {
  if (inSession) {
    // Locks are not waited for: the facts are read after they are taken.
    lockAgainstErasure(db);
    // Two turns that open at once in a session go one after the other, so that the second sees the first.
    lockNamed(db, ["session", session ?? ""]);
  }
  const place = await lockWorkingAgent<TurnPlace & { open?: number }>(
    db,
    scope.agent,
    joinQueries(
      [
        raw("(select count(*) from totals where totals.agent = name) as counted"),
        ...(inSession
          ? [
              sql`(select count(*) from sessions where id = ${session} and ${ownRows(scope)}) as open,
                (select max(started_at) from turns where session = ${session} and length(session) <= 200) as newest`,
            ]
          : []),
        ...(after === undefined ? [] : [sinceColumns(session ?? "", after)]),
      ],
      ", ",
    ),
  );
  if (inSession && place.open === 0) throw unknownSession(session ?? "");
  return place;
}

/** Tells whether a turn that is opened now directly follows the one that the caller saw last. */
function isNext({ after_at, moved }: TurnPlace): boolean {
  return after_at !== null && after_at !== undefined && moved === 0;
}

/**
 * Returns the start time of a turn. These times order a session's turns, so it is later than the newest one, which may have been
 * opened by another machine's clock, or before this clock was set back.
 */
function openedAt(at: string, newest: string | null): string {
  return newest === null || newest < at ? at : new Date(Date.parse(newest) + 1).toISOString();
}

export function createTurns(deps: StoreDeps): Turns {
  const { home, now, newId } = deps;
  const get = (id: string, reach: Reach = "everything") => home.read(reach, (db) => findTurn(db, id, reach));
  const scopeOf = (turn: string, { scope }: TurnHints) => scope ?? get(turn).then((found) => found.scope);
  const keepStep = createStepRecorder(deps);
  const noteEnded = createWordIndexer(deps);
  return {
    get,
    open: async (turn) => {
      checkNewTurn(turn);
      const {
        scope,
        input,
        attachments = [],
        id = newId(),
        channel = null,
        model = null,
        ownSession,
        job,
        ...run
      } = turn;
      const how = run.unsynced ? "unsynced" : undefined;
      checkScope(scope);
      checkName("turn", id);
      if (run.runner !== undefined) checkName("runner", run.runner);
      const lease = leaseOf(run);
      const shown = attachments.length === 0 ? undefined : attachments.map(({ data: _, ...about }) => about);
      const session = run.session ?? (ownSession === undefined ? null : newId());
      const write = async (db: Database): Promise<OpenedTurn> => {
        const place = await findPlace(db, { scope, session, ...run });
        const at = now();
        const leased = { runner: run.runner, leaseSeconds: lease, leasedUntil: leaseEnd(at, lease) };
        const facts = {
          scope,
          session,
          channel,
          model,
          input,
          attachments: shown,
          context: run.context,
          shown: run.shown,
        };
        const startedAt = openedAt(at, place.newest ?? null);
        const opened = { id, ...facts, ...leased, state: "running", tainted: run.tainted ?? false, startedAt } as const;
        if ((await db.run(sql`${insertInto(turns, opened)} on conflict (id) do nothing`)) > 0) {
          await putAttachments(db, scope, attachments, at);
          if (session !== null && ownSession !== undefined)
            await insertSession(db, { id: session, scope, receiver: ownSession, channel, at, endedAt: at, job });
          if (place.counted > 0) db.send(sql`update totals set turns = turns + 1 where agent = ${scope.agent}`);
          return {
            ...recordGiven(turns, opened),
            ...(run.after === undefined ? {} : { isNext: isNext(place) }),
          };
        }
        throw new Problem(
          "turn-exists",
          `There is a turn “${id}” already.`,
          "Give every turn an id of its own, or none.",
        );
      };
      return home.write(scope, write, how);
    },
    recordStep: async (turn, step) => {
      checkNewStep(turn, step);
      return keepStep(turn, await scopeOf(turn, step), step);
    },
    recordResult: async (turn, step, result, about = {}) => {
      const scope = await scopeOf(turn, about);
      return home.write(scope, (db) => recordStepResult(db, scope, now(), { ...about, turn, step, result }));
    },
    close: async (turn, end) => {
      checkTurnEnd(turn, end);
      const scope = await scopeOf(turn, end);
      const closed = await home.write(scope, (db) => closeTurn(db, turn, scope, now(), end));
      noteEnded();
      return closed;
    },
    interruptAbandoned: (about = {}) => interruptTurns(deps, about),
    contextOf: (turn, reach = "everything") =>
      home.read(reach, async (db) => {
        const row = await db.one<{ context: string | null }>(
          sql`select context from turns where id = ${turn}${reachFilter(reach)}`,
        );
        return row?.context ? (JSON.parse(row.context) as unknown) : undefined;
      }),
    withShown: async (scope, digests, others = []) => {
      const { agent, user = "" } = scope;
      const later = raw(
        "later.session = t.session and length(later.session) <= 200 and later.started_at > t.started_at",
      );
      // Sorted by an expression: an index in the order of time would be gone through for all of the user's turns.
      const asked = sql`select t.*, case when exists (select 1 from turns later where ${later}) then 0 else 1 end as newest
        from turns t where agent in ${listOf([agent, ...others])} and user_id = ${user} and shown in ${listOf(digests)}
        order by started_at || '' desc, id desc limit 1000`;
      const reach = others.length === 0 ? scope : "everything";
      const rows = digests.length === 0 ? [] : await home.read(reach, (db) => db.all<TurnRow & Newest>(asked), "brief");
      return rows.map(({ newest, ...row }) => ({
        ...turnOf(row),
        ...{ shown: row.shown as string, isNewest: Number(newest) === 1 },
      }));
    },
    taintOf: async (scope, session, other) => {
      const newest = (id: string) => sql`(select tainted, started_at || ' ' || id as place from turns
        where ${ownRows(scope)} and session = ${id} and length(session) <= 200
        order by started_at desc, id desc limit 1000) newest`;
      const asked = sql`select max(tainted) as tainted, max(place) as place,
          (select max(place) from ${newest(other)}) as later,
          (select count(*) from sessions where ${ownRows(scope)} and id = ${other}) as others
        from ${newest(session)}`;
      const row = await home.read(scope, (db) => db.one<TaintRow>(asked), "brief");
      const { tainted, place = null, later = null, others } = row ?? {};
      const beside = place === null ? Number(others) > 0 : later !== null && later > place;
      return { isNew: place === null, tainted: Number(tainted) === 1, beside };
    },
    findErased: (ids) => findIds(home, ids, (list) => sql`turns where id in ${list} and state = 'erased'`),
    list: async (about = {}) => {
      checkNames<ListTurnsOptions>("store.turns.list", about, [...turnFilters, "sort", "limit", "offset"]);
      return listTurns(deps, about);
    },
    count: async (filter = {}) => {
      checkNames<TurnFilter>("store.turns.count", filter, turnFilters);
      return countTurns(deps, filter);
    },
    factsOf: (ids) => factsOfTurns(home, ids),
    sums: (agents, since) => sumTurns(home, agents, since),
  };
}

/**
 * Checks of what a loop of your own passes to `store.turns`: the error names the first field that is missing, of the wrong kind
 * or unknown.
 */

/** A turn to be opened. */
export type NewTurn = {
  readonly scope: Scope;
  readonly input: string;
  /** Pictures and files that come with the input: their bytes are stored with the turn, or nothing is. */
  readonly attachments?: readonly NewAttachment[];
  readonly id?: string;
  readonly channel?: string;
  /** Model that it is for, by its receiver's name: lists show it until a step asks another. */
  readonly model?: string;
  readonly session?: string;
  /** Requires that the session still exists: it may have been erased while the turn waited. */
  readonly inSession?: boolean;
  /** Newest turn of the session as the caller knows it; `isNext` of the opened turn says whether that still holds. */
  readonly after?: string;
  /** Receiver of a session that is created for this turn alone, and ends with it; or with `session` for all that name that one. */
  readonly ownSession?: string;
  /** Says that foreign text is in its context from the start. */
  readonly tainted?: boolean;
  /** Says that such a session is a job's. */
  readonly job?: true | undefined;
  /** The process that runs it (“host:pid”). */
  readonly runner?: string;
  /**
   * Time in seconds that it may be silent before it counts as interrupted: 300 with a runner, else without limit. Each step
   * renews it.
   */
  readonly leaseSeconds?: number;
  /** Plain data of the caller's to store with the turn. It is erased and exported with the turn. */
  readonly context?: unknown;
  /** Digest of the conversation as the client shows it, up to this input: `withShown` finds the turn by it. */
  readonly shown?: string;
  /**
   * Does not wait for the disk, on SQLite: the turn outlasts this process at once, and a power failure with its next write. For
   * a turn that does nothing before its first step is recorded.
   */
  readonly unsynced?: boolean;
};

const text = optional([isText, "Give a text."]);
const aTurn = { turn: [isText, "Give the `id` of the turn that store.turns.open gave."] } as const;

const turnChecks: Partial<FieldChecks<NewTurn>> = {
  scope: [isObject, "Give { agent }, or { agent, user }: names."],
  input: [isText, "Give what was asked, as text."],
  id: text,
  session: text,
  after: text,
  ownSession: text,
  shown: text,
  model: text,
  attachments: optional([isList, "Give a list of attachments."]),
};
const turnFields =
  "scope input attachments id session ownSession job channel model inSession after tainted runner leaseSeconds context shown unsynced".split(
    " ",
  ) as (keyof NewTurn)[];

function checkNewTurn(turn: NewTurn): void {
  checkNeeded<NewTurn>("store.turns.open", turn, turnChecks);
  checkNames<NewTurn>("store.turns.open", turn, turnFields);
}

const receiptWanted = "Give what receiptOf(charter, prompt, { sha256 }) gives.";
const stepChecks: Partial<FieldChecks<NewStep>> = {
  receipt: [isObject, receiptWanted],
  texts: [isList, receiptWanted],
};
const stepFields = "receipt texts session stable scope tainted foreign".split(" ") as (keyof NewStep)[];

function checkNewStep(turn: string, step: NewStep): void {
  checkNeeded<{ turn: string }>("store.turns.recordStep", { turn }, aTurn);
  checkNeeded<NewStep>("store.turns.recordStep", step, stepChecks);
  checkNames<NewStep>("store.turns.recordStep", step, stepFields);
}

const states: readonly unknown[] = ["answered", "failed", "interrupted"] satisfies TurnEnd["state"][];
const endChecks: Partial<FieldChecks<TurnEnd>> = {
  reply: optional([(value) => value === null || isText(value), "Give the reply, as text."]),
  state: optional([(value) => states.includes(value), "It is answered, failed or interrupted."]),
  step: optional([isObject, "Give { step, result } of its last step."]),
};
const endFields = "reply state because step session spent scope tainted foreign".split(" ") as (keyof TurnEnd)[];

function checkTurnEnd(turn: string, end: TurnEnd): void {
  checkNeeded<{ turn: string }>("store.turns.close", { turn }, aTurn);
  checkNeeded<TurnEnd>("store.turns.close", end, endChecks);
  checkNames<TurnEnd>("store.turns.close", end, endFields);
}
