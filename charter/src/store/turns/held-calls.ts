import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database, Reach } from "../home/database.ts";
import {
  findRecord,
  findRecords,
  insertInto,
  keepReadings,
  lockAgainstErasure,
  matching,
  onPage,
  ownRows,
  type Page,
  reachFilter,
  reachOf,
  setting,
} from "../home/query.ts";
import { type Query, raw, sql, type Value } from "../home/sql.ts";
import { count, digest, id, json, name, oneOf, type RecordOf, table, text, time, truth } from "../home/table.ts";
import { checkName, checkScope } from "../scope.ts";
import { sha256 } from "../texts/packing.ts";
import { checkTurnRunning, ownTurn } from "./turn.ts";

export const heldCalls = table(
  "held_calls",
  {
    of: "user",
    key: ["id"],
    unique: { held_calls_call: "(agent, user_id, turn, call_digest)" },
    indexes: { held_calls_scope: "(agent, user_id, status)", held_calls_waiting: "(agent) where status = 'waiting'" },
    isMarked: true,
    erase: { through: "turn" },
    exported: "calls",
  },
  {
    id: id(),
    /** Turn that asked for it, and the number of the step. */
    turn: id().refers("turns", "a call was held in it"),
    step: count(),
    /** The call's id, as the model gave it. */
    call: id(),
    /**
     * Digest of the step and the call's id: some models count their calls anew in every step, so an id alone does not name one.
     */
    callDigest: digest().inner().hidden(),
    tool: name(),
    /** Arguments for the tool: any JSON. */
    input: json(),
    /** Reason why it was held. */
    reason: text(),
    at: time(),
    /** State of the call. It is `running` until its result is recorded, even if its process died, and is never run again. */
    status: oneOf("waiting", "approved", "rejected", "running", "done", "failed"),
    decidedAt: time().nullable(),
    decidedBy: name().nullable(),
    decisionReason: text().nullable(),
    takenAt: time().nullable(),
    endedAt: time().nullable(),
    result: json().nullable(),
    /** Directory in which it is to run, if the tool acts in one. */
    place: text().nullable(),
    /** Says that it was held because of a picture that the user sent themselves, and of nothing else. */
    ofPicture: truth().optional(),
  },
);

/** A tool call that needs a person's approval. Once approved it is made once, in a later turn of its scope. */
export type HeldCall = RecordOf<typeof heldCalls>;

/** A tool call to be held for approval. */
export type NewHeldCall = Pick<HeldCall, "turn" | "step" | "call" | "tool" | "input" | "reason"> & {
  readonly place?: string;
  readonly ofPicture?: true;
};

/** `store.calls`: tool calls that need a person's approval. */
export type HeldCalls = {
  /** Holds a call until a person decides. The same call of the same step is held once. */
  readonly hold: (scope: Scope, call: NewHeldCall) => Promise<HeldCall>;
  /** Lists calls, oldest first; those that are waiting, unless another status is given. */
  readonly list: (about?: Page & { agent?: string; user?: string; status?: HeldCall["status"] }) => Promise<HeldCall[]>;
  readonly get: (id: string, reach?: Reach) => Promise<HeldCall>;
  readonly approve: (id: string, by: string) => Promise<HeldCall>;
  readonly reject: (id: string, by: string, because?: string) => Promise<HeldCall>;
  /** Approves a call and takes it, in one step: for a turn that asked and waited for the answer. */
  readonly take: (id: string, by: string) => Promise<HeldCall>;
  /** Takes the approved calls that a turn of this scope runs (or one of them), oldest first. Each is given to one process. */
  readonly claim: (scope: Scope, by?: CallRunner | { readonly id: string }) => Promise<HeldCall[]>;
  /** Lists what `claim` would take. */
  readonly approved: (scope: Scope, by?: CallRunner) => Promise<HeldCall[]>;
  /** Gives back a call that was taken and not started. */
  readonly release: (id: string) => Promise<HeldCall>;
  readonly finish: (id: string, end: { status: "done" | "failed"; result: unknown }) => Promise<HeldCall>;
};

/**
 * The turn without a user that is to run approved calls. The operator's own runs what the operator's own turns held; a job what
 * jobs held in its session, or in none that lasts and on the same channel.
 */
type CallRunner = {
  readonly job: boolean;
  readonly session?: string | undefined;
  readonly channel?: string | null | undefined;
};

function approvedFor(scope: Scope, by: CallRunner | { readonly id: string } = { job: false }): Query {
  const approved = sql`${ownRows(scope)} and status = 'approved'`;
  if ("id" in by) return sql`${approved} and id = ${by.id}`;
  if (scope.user !== undefined) return approved;
  const { job, session = "", channel } = by;
  const single = sql`s.ended_at = s.started_at and coalesce(s.channel, '') = ${channel ?? ""}`;
  const whose = job ? sql`s.job is not null and (s.id = ${session} or (${single}))` : raw("s.job is null");
  return sql`${approved} and turn in (select t.id from turns t left join sessions s on s.id = t.session where ${whose})`;
}

export function createHeldCalls({ home, now, newId }: StoreDeps): HeldCalls {
  const keptApproved = keepReadings<boolean>(home, [heldCalls]);
  const get = (id: string, reach: Reach = "everything") => home.read(reach, (db) => findHeldCall(db, id, reach));
  /**
   * Moves a call from one status to the next. Of several callers one succeeds; the others get a Problem with its present status.
   */
  const move = async (
    id: string,
    [from, ...through]: readonly [HeldCall["status"], ...HeldCall["status"][]],
    set: Readonly<Record<string, Value>>,
    detail: object,
  ) => {
    const { scope } = await get(id);
    return home.write(scope, async (db) => {
      const status = through.at(-1) as string;
      const moved = sql`update held_calls set ${setting({ status, ...set })} where id = ${id} and status = ${from} returning *`;
      const call = await findRecord(db, heldCalls, moved);
      if (!call) throw alreadyDecided(await findHeldCall(db, id));
      for (const to of through) recordChange(db, now(), `call-${to}`, call, detail);
      return call;
    });
  };
  return {
    get,
    hold: async (scope, { turn, step, call, tool, input, reason, place, ofPicture }) => {
      checkScope(scope);
      checkName("tool", tool);
      return home.write(scope, async (db) => {
        // A turn that was erased gets no more rows.
        await lockAgainstErasure(db);
        checkTurnRunning(turn, (await ownTurn(db, turn, scope)).state);
        const at = now();
        // Some models count their calls anew in every step, so an id alone does not name one.
        const callDigest = sha256(JSON.stringify([step, call]));
        const about = {
          id: newId(),
          scope,
          turn,
          step,
          call,
          callDigest,
          tool,
          input: input ?? null,
          reason,
          place,
          ofPicture,
        };
        const inserted = insertInto(heldCalls, { ...about, at, status: "waiting" });
        const once = sql`${inserted} on conflict (agent, user_id, turn, call_digest) do nothing returning *`;
        const held = await findRecord(db, heldCalls, once);
        if (held) recordChange(db, at, "tool-held", held, { because: reason });
        const sameCall = matching({ turn, call_digest: callDigest });
        const before = sql`select * from held_calls where ${ownRows(scope)} and ${sameCall}`;
        return held ?? ((await findRecord(db, heldCalls, before)) as HeldCall);
      });
    },
    list: ({ agent, user, status = "waiting", ...page } = {}) => {
      const filter = matching({ status, agent, user_id: user });
      const listed = sql`select * from held_calls where ${filter} order by id ${onPage(page)}`;
      return home.read(reachOf(agent, user), (db) => findRecords(db, heldCalls, listed));
    },
    approve: (id, by) => move(id, ["waiting", "approved"], { decided_at: now(), decided_by: by }, { by }),
    reject: (id, by, because) => {
      const decided = { decided_at: now(), decided_by: by, decision_reason: because ?? null };
      return move(id, ["waiting", "rejected"], decided, { by, ...(because === undefined ? {} : { because }) });
    },
    take: (id, by) => {
      const at = now();
      const taken = { decided_at: at, decided_by: by, taken_at: at };
      return move(id, ["waiting", "approved", "running"], taken, { by });
    },
    approved: (scope, by) =>
      home.read(scope, (db) =>
        findRecords(db, heldCalls, sql`select * from held_calls where ${approvedFor(scope, by)} order by id`),
      ),
    claim: async (scope, by) => {
      // Turns usually find none, and a read keeps no one from writing.
      const some = await keptApproved(JSON.stringify([scope.agent, scope.user]), async () => {
        const one = sql`select 1 as there from held_calls where ${ownRows(scope)} and status = 'approved' limit 1`;
        return (await home.read(scope, (db) => db.one(one))) !== undefined;
      });
      if (!some) return [];
      return home.write(scope, async (db) => {
        const at = now();
        const taken = sql`update held_calls set status = 'running', taken_at = ${at} where ${approvedFor(scope, by)} returning *`;
        const calls = await findRecords(db, heldCalls, taken);
        calls.sort((one, other) => (one.id < other.id ? -1 : 1));
        for (const call of calls) recordChange(db, at, "call-running", call, {});
        return calls;
      });
    },
    release: (id) => move(id, ["running", "approved"], { taken_at: null }, { givenBack: true }),
    finish: (id, { status, result }) =>
      move(id, ["running", status], { ended_at: now(), result: JSON.stringify(result ?? null) }, {}),
  };
}

async function findHeldCall(db: Database, id: string, reach: Reach = "everything"): Promise<HeldCall> {
  const call = await findRecord(db, heldCalls, sql`select * from held_calls where id = ${id}${reachFilter(reach)}`);
  if (call) return call;
  throw unknownCall(id);
}

export function unknownCall(id: string): Problem {
  return new Problem(
    "unknown-call",
    `There is no held call “${id}”.`,
    "List what is waiting with `charter approvals`.",
  );
}

function recordChange(db: Database, at: string, kind: string, held: HeldCall, more: object): void {
  const { scope, turn, id, call, tool } = held;
  recordEvent(db, at, { scope, kind, turn, detail: { held: id, call, tool, ...more } });
}

function alreadyDecided({ id, tool, status, decidedAt }: HeldCall): Problem {
  const decided = `was ${status === "rejected" ? "rejected" : "approved"} ${decidedAt}`;
  const since = status === "approved" || status === "rejected" ? decided : `${decided} and is ${status}`;
  return new Problem(
    "already-decided",
    `The call “${id}” of “${tool}” ${status === "waiting" ? "waits for a person" : since}.`,
    `See it with \`charter approvals ${id}\`.`,
  );
}
