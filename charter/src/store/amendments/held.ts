import { Problem } from "../../prompt/problem.ts";
import type { Parts } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database, Reach } from "../home/database.ts";
import { type Page, pageOf } from "../home/page.ts";
import { reachOf, within } from "../home/reach.ts";
import { raw, sql } from "../home/sql.ts";
import type { Desk, Settled } from "./context.ts";
import { addObjection, type Held, type HeldRow, heldOf, isForOperator } from "./held-row.ts";
import { settle } from "./propose.ts";
import { type Heard, hearUntilSettled, type Unheard } from "./second-opinion.ts";

export type HeldProposals = {
  /** Oldest first; those that still wait, unless another status is asked for. */
  readonly list: (about?: Page & { agent?: string; user?: string; status?: Held["status"] }) => Promise<Held[]>;
  readonly get: (id: string, reach?: Reach) => Promise<Held>;
  /**
   * Every guard speaks again, about what stands now; only the one that asked for a person is silent. The operator's word
   * is enough. What a user approves is put to the agent's second opinion, and waits on where that is no plain no.
   */
  readonly approve: (id: string, by: string, desk: Desk, hand?: "operator" | "user") => Promise<Settled>;
  readonly reject: (id: string, by: string, because?: string) => Promise<Held>;
};

export function createHeld(parts: Parts): HeldProposals {
  const { home, now } = parts;
  /** Nobody else decides meanwhile. */
  const waiting = async (db: Database, id: string): Promise<Held> => {
    const lock = db.dialect.lock(JSON.stringify(["held", id]));
    if (lock) await db.all(lock);
    const held = await find(db, id);
    if (held.status === "waiting") return held;
    throw new Problem(
      "already-decided",
      `The proposal “${id}” was ${held.status} ${held.decidedAt}.`,
      "See what waits with `charter held`.",
    );
  };
  const decide = async (db: Database, held: Held, status: Held["status"], by: string, more: Partial<Held>) => {
    const at = now();
    const taken = await db.run(sql`update held set status = ${status}, decided_at = ${at}, decided_by = ${by},
      because = ${more.because ?? null}, revision = ${more.revision ?? null} where id = ${held.id} and status = 'waiting'`);
    if (taken === 0) await waiting(db, held.id);
    const detail = { held: held.id, section: held.section, by, ...more };
    await recordEvent(db, at, { scope: held.scope, kind: `held-${status}`, turn: held.proposal.turn ?? null, detail });
  };
  return {
    list: ({ agent, user, status = "waiting", ...page } = {}) =>
      home.read(reachOf(agent, user), async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<HeldRow>(sql`select * from held where status = ${status}
          ${agent === undefined ? raw("") : sql`and agent = ${agent}`}
          ${user === undefined ? raw("") : sql`and user_id = ${user}`} order by id limit ${limit} offset ${offset}`);
        return rows.map(heldOf);
      }),
    get: (id, reach = "everything") => home.read(reach, (db) => find(db, id, reach)),
    approve: async (id, by, { key: _, ...desk }, hand = "operator") => {
      const { scope } = await home.read("everything", (db) => find(db, id));
      const asked: Desk = { ...desk, scope, rules: withoutHolding(desk.rules) };
      const settleOnce = (heard: Heard | undefined) =>
        home.write(scope, async (db): Promise<Settled | Unheard> => {
          const held = await waiting(db, id);
          if (hand === "user" && isForOperator(held)) throw onlyOperator(held);
          if (heard?.objection) {
            const { before, after } = held;
            return {
              verdict: "held",
              before,
              after,
              refusals: await addObjection(db, held, heard.objection),
              held: id,
            };
          }
          const verdict = await settle(parts, db, asked, held.proposal, hand === "operator" ? "approved" : heard);
          if (!("verdict" in verdict)) return verdict;
          if (verdict.verdict === "accepted") await decide(db, held, "approved", by, { revision: verdict.revision });
          if (verdict.verdict === "unchanged") await decide(db, held, "approved", by, {});
          return verdict;
        });
      return hearUntilSettled(parts, asked, settleOnce);
    },
    reject: async (id, by, because) => {
      const { scope } = await home.read("everything", (db) => find(db, id));
      return home.write(scope, async (db) => {
        await decide(db, await waiting(db, id), "rejected", by, because === undefined ? {} : { because });
        return find(db, id);
      });
    },
  };
}

function onlyOperator({ section }: Held): Problem {
  return new Problem(
    "not-allowed",
    `Only the operator can approve this change of “${section}”: a model took it for an override, or could not tell.`,
    "Ask the operator, or reject it.",
  );
}

function withoutHolding(rules: Desk["rules"]): Desk["rules"] {
  return (section, standing) => {
    const given = rules(section, standing);
    return { ...given, guards: given.guards.map((guard) => (change) => notHolding(guard(change))) };
  };
}

function notHolding<Objection extends { readonly holds?: true }>(refusal: Objection | undefined) {
  return refusal?.holds ? undefined : refusal;
}

async function find(db: Database, id: string, reach: Reach = "everything"): Promise<Held> {
  const row = await db.one<HeldRow>(sql`select * from held where id = ${id}${within(reach)}`);
  if (row) return heldOf(row);
  throw new Problem("unknown-proposal", `There is no held proposal “${id}”.`, "See what waits with `charter held`.");
}
