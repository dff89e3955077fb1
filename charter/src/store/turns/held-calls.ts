import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database, Reach } from "../home/database.ts";
import { type Page, pageOf } from "../home/page.ts";
import { reachOf } from "../home/reach.ts";
import { type Query, raw, sql } from "../home/sql.ts";
import { checkName, checkScope } from "../scope.ts";
import { sha256 } from "../texts/sha256.ts";
import { findHeldCall, type HeldCall, type HeldCallRow, heldCallOf } from "./held-call-row.ts";
import { checkTurnRunning, ownTurn } from "./turn.ts";

/** A tool call to be held for approval. */
export type NewHeldCall = Pick<HeldCall, "turn" | "step" | "call" | "tool" | "input" | "reason"> & {
  readonly place?: string;
};

/** `store.calls`: tool calls that need a person's approval. */
export type HeldCalls = {
  /** Holds a call until a person decides. The same call of the same step is held once. */
  readonly hold: (scope: Scope, call: NewHeldCall) => Promise<HeldCall>;
  /** Oldest first; those that are waiting, unless another status is given. */
  readonly list: (about?: Page & { agent?: string; user?: string; status?: HeldCall["status"] }) => Promise<HeldCall[]>;
  readonly get: (id: string, reach?: Reach) => Promise<HeldCall>;
  readonly approve: (id: string, by: string) => Promise<HeldCall>;
  readonly reject: (id: string, by: string, because?: string) => Promise<HeldCall>;
  /** Approves a call and takes it, in one step: for a turn that asked and waited for the answer. */
  readonly take: (id: string, by: string) => Promise<HeldCall>;
  /** Takes the approved calls of this scope, oldest first, to run them. Each is given to one process. */
  readonly claim: (scope: Scope) => Promise<HeldCall[]>;
  /** Gives back a call that was taken and not started. */
  readonly release: (id: string) => Promise<HeldCall>;
  readonly finish: (id: string, end: { status: "done" | "failed"; result: unknown }) => Promise<HeldCall>;
};

export function createHeldCalls({ home, now, newId }: StoreDeps): HeldCalls {
  const get = (id: string, reach: Reach = "everything") => home.read(reach, (db) => findHeldCall(db, id, reach));
  /** From one status to the next, for one of all those who try; the others hear what has become of it. */
  const move = async (
    id: string,
    [from, ...through]: readonly [HeldCall["status"], ...HeldCall["status"][]],
    set: Query,
    detail: object,
  ) => {
    const { scope } = await get(id);
    return home.write(scope, async (db) => {
      const row = await db.one<HeldCallRow>(
        sql`update held_calls set status = ${through.at(-1) as string}, ${set} where id = ${id} and status = ${from} returning *`,
      );
      const call = row ? heldCallOf(row) : await findHeldCall(db, id);
      if (!row) throw alreadyDecided(call);
      for (const to of through) await recordChange(db, now(), `call-${to}`, call, detail);
      return call;
    });
  };
  return {
    get,
    hold: async (scope, { turn, step, call, tool, input, reason, place }) => {
      checkScope(scope);
      checkName("tool", tool);
      return home.write(scope, async (db) => {
        // While we hold on to the texts no one is erasing: of a turn that was erased nothing more is kept.
        const kept = db.dialect.lockTableShared("texts");
        if (kept) await db.run(kept);
        checkTurnRunning(turn, (await ownTurn(db, turn, scope)).state);
        const { agent, user = "" } = scope;
        const at = now();
        const row =
          await db.one<HeldCallRow>(sql`insert into held_calls (id, agent, user_id, turn, step, call, call_digest, tool,
            input, because, at, status, place)
          values (${newId()}, ${agent}, ${user}, ${turn}, ${step}, ${call}, ${callDigest(step, call)}, ${tool}, ${JSON.stringify(input ?? null)},
            ${reason}, ${at}, ${"waiting"}, ${place ?? null}) on conflict (agent, user_id, turn, call_digest) do nothing returning *`);
        if (!row) return heldBefore(db, scope, turn, callDigest(step, call));
        const held = heldCallOf(row);
        await recordChange(db, at, "tool-held", held, { because: reason });
        return held;
      });
    },
    list: ({ agent, user, status = "waiting", ...page } = {}) =>
      home.read(reachOf(agent, user), async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<HeldCallRow>(sql`select * from held_calls where status = ${status}
          ${agent === undefined ? raw("") : sql`and agent = ${agent}`}
          ${user === undefined ? raw("") : sql`and user_id = ${user}`} order by id limit ${limit} offset ${offset}`);
        return rows.map(heldCallOf);
      }),
    approve: (id, by) => move(id, ["waiting", "approved"], sql`decided_at = ${now()}, decided_by = ${by}`, { by }),
    reject: (id, by, because) => {
      const decided = sql`decided_at = ${now()}, decided_by = ${by}, decided_because = ${because ?? null}`;
      return move(id, ["waiting", "rejected"], decided, { by, ...(because === undefined ? {} : { because }) });
    },
    take: (id, by) => {
      const at = now();
      const taken = sql`decided_at = ${at}, decided_by = ${by}, taken_at = ${at}`;
      return move(id, ["waiting", "approved", "running"], taken, { by });
    },
    claim: async (scope) => {
      const { agent, user = "" } = scope;
      const approved = sql`agent = ${agent} and user_id = ${user} and status = 'approved'`;
      // Most turns find none, and looking does not keep anyone from writing.
      const some = await home.read(scope, (db) =>
        db.one(sql`select 1 as there from held_calls where ${approved} limit 1`),
      );
      if (!some) return [];
      return home.write(scope, async (db) => {
        const at = now();
        const rows = await db.all<HeldCallRow>(
          sql`update held_calls set status = 'running', taken_at = ${at} where ${approved} returning *`,
        );
        const calls = rows.map(heldCallOf).sort((one, other) => (one.id < other.id ? -1 : 1));
        for (const call of calls) await recordChange(db, at, "call-running", call, {});
        return calls;
      });
    },
    release: (id) => move(id, ["running", "approved"], sql`taken_at = ${null}`, { givenBack: true }),
    finish: (id, { status, result }) =>
      move(id, ["running", status], sql`ended_at = ${now()}, result = ${JSON.stringify(result ?? null)}`, {}),
  };
}

async function heldBefore(db: Database, { agent, user = "" }: Scope, turn: string, digest: string): Promise<HeldCall> {
  const row = await db.one<HeldCallRow>(sql`select * from held_calls where agent = ${agent} and user_id = ${user}
    and turn = ${turn} and call_digest = ${digest}`);
  return heldCallOf(row as HeldCallRow);
}

/** Some models count their calls anew in every step: an id alone does not name one. */
function callDigest(step: number, call: string): string {
  return sha256(JSON.stringify([step, call]));
}

async function recordChange(db: Database, at: string, kind: string, held: HeldCall, more: object): Promise<void> {
  const { scope, turn, id, call, tool } = held;
  await recordEvent(db, at, { scope, kind, turn, detail: { held: id, call, tool, ...more } });
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
