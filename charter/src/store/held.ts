import { Problem } from "../prompt/problem.ts";
import type { Desk, Settled } from "./desk.ts";
import { recordEvent } from "./event.ts";
import { type Held, type HeldRow, heldOf } from "./held-row.ts";
import type { Database, Reach } from "./home/database.ts";
import { type Page, pageOf } from "./home/page.ts";
import { reachOf, within } from "./home/reach.ts";
import { raw, sql } from "./home/sql.ts";
import type { Parts } from "./parts.ts";
import { settleApproved } from "./propose.ts";

export type HeldProposals = {
  /** Oldest first; those that still wait, unless another status is asked for. */
  readonly list: (about?: Page & { agent?: string; user?: string; status?: Held["status"] }) => Promise<Held[]>;
  readonly get: (id: string, reach?: Reach) => Promise<Held>;
  /** Every guard speaks again, about what stands now; only the one that asked for a person is silent. */
  readonly approve: (id: string, by: string, desk: Desk) => Promise<Settled>;
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
    approve: async (id, by, desk) => {
      const { scope } = await home.read("everything", (db) => find(db, id));
      return home.write(scope, async (db) => {
        const held = await waiting(db, id);
        const rules: Desk["rules"] = (section, standing) => {
          const given = desk.rules(section, standing);
          return { ...given, guards: given.guards.map((guard) => (change) => notHolding(guard(change))) };
        };
        const { key: _, ...asked } = desk;
        const verdict = await settleApproved(parts, db, { ...asked, scope, rules }, held.proposal);
        if (verdict.verdict === "accepted") await decide(db, held, "approved", by, { revision: verdict.revision });
        return verdict;
      });
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

function notHolding<Objection extends { readonly holds?: true }>(refusal: Objection | undefined) {
  return refusal?.holds ? undefined : refusal;
}

async function find(db: Database, id: string, reach: Reach = "everything"): Promise<Held> {
  const row = await db.one<HeldRow>(sql`select * from held where id = ${id}${within(reach)}`);
  if (row) return heldOf(row);
  throw new Problem("unknown-proposal", `There is no held proposal “${id}”.`, "See what waits with `charter held`.");
}
