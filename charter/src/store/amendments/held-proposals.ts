import { askGuard } from "../../amend/guard.ts";
import { Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database, Reach } from "../home/database.ts";
import { type Page, pageOf } from "../home/page.ts";
import { reachFilter, reachOf } from "../home/reach.ts";
import { raw, sql } from "../home/sql.ts";
import type { AmendmentContext, ProposalOutcome } from "./context.ts";
import {
  addObjection,
  type HeldProposal,
  type HeldProposalRow,
  heldProposalOf,
  isForOperator,
} from "./held-proposal-row.ts";
import { createSender, decideProposal } from "./propose.ts";
import { decideWithOpinion, type HeardOpinion, type OpinionNeeded } from "./second-opinion.ts";

/** `store.held`: proposals that wait for a person's approval. */
export type HeldProposals = {
  /** Oldest first; those that are waiting, unless another status is given. */
  readonly list: (
    about?: Page & { agent?: string; user?: string; status?: HeldProposal["status"] },
  ) => Promise<HeldProposal[]>;
  readonly get: (id: string, reach?: Reach) => Promise<HeldProposal>;
  /**
   * Judges the proposal again with the current text, without the guard that asked for a person. What a user approves
   * also goes to the agent's second opinion; what the operator approves does not.
   */
  readonly approve: (
    id: string,
    by: string,
    context: AmendmentContext,
    hand?: "operator" | "user",
  ) => Promise<ProposalOutcome>;
  readonly reject: (id: string, by: string, because?: string) => Promise<HeldProposal>;
};

export function createHeldProposals(deps: StoreDeps): HeldProposals {
  const { home, now } = deps;
  /** Nobody else decides meanwhile. */
  const waiting = async (db: Database, id: string): Promise<HeldProposal> => {
    const lock = db.dialect.lock(JSON.stringify(["held", id]));
    if (lock) await db.all(lock);
    const held = await find(db, id);
    if (held.status === "waiting") return held;
    throw new Problem(
      "already-decided",
      `The proposal “${id}” was ${held.status} ${held.decidedAt}.`,
      "List what is waiting with `charter approvals`.",
    );
  };
  const decide = async (
    db: Database,
    held: HeldProposal,
    status: HeldProposal["status"],
    by: string,
    more: { readonly reason?: string | undefined; readonly revision?: number },
  ) => {
    const at = now();
    const taken = await db.run(sql`update held set status = ${status}, decided_at = ${at}, decided_by = ${by},
      because = ${more.reason ?? null}, revision = ${more.revision ?? null} where id = ${held.id} and status = 'waiting'`);
    if (taken === 0) await waiting(db, held.id);
    const { reason, revision } = more;
    const said = {
      ...(reason === undefined ? {} : { because: reason }),
      ...(revision === undefined ? {} : { revision }),
    };
    const detail = { held: held.id, section: held.section, by, ...said };
    await recordEvent(db, at, { scope: held.scope, kind: `held-${status}`, turn: held.proposal.turn ?? null, detail });
  };
  return {
    list: ({ agent, user, status = "waiting", ...page } = {}) =>
      home.read(reachOf(agent, user), async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<HeldProposalRow>(sql`select * from held where status = ${status}
          ${agent === undefined ? raw("") : sql`and agent = ${agent}`}
          ${user === undefined ? raw("") : sql`and user_id = ${user}`} order by id limit ${limit} offset ${offset}`);
        return rows.map(heldProposalOf);
      }),
    get: (id, reach = "everything") => home.read(reach, (db) => find(db, id, reach)),
    approve: async (id, by, { idempotencyKey: _, ...context }, hand = "operator") => {
      const { scope } = await home.read("everything", (db) => find(db, id));
      const sent = createSender();
      const asked = { ...context, scope, rules: withoutHolding(context.rules), onPublisher: sent.take };
      const settleOnce = (heard: HeardOpinion | undefined) =>
        home.write(scope, async (db): Promise<ProposalOutcome | OpinionNeeded> => {
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
          const verdict = await decideProposal(
            deps,
            db,
            asked,
            held.proposal,
            hand === "operator" ? "approved" : heard,
          );
          if (!("verdict" in verdict)) return verdict;
          if (verdict.verdict === "accepted") await decide(db, held, "approved", by, { revision: verdict.revision });
          if (verdict.verdict === "unchanged") await decide(db, held, "approved", by, {});
          return verdict;
        });
      return sent.after(await decideWithOpinion(deps, asked, settleOnce));
    },
    reject: async (id, by, reason) => {
      const { scope } = await home.read("everything", (db) => find(db, id));
      return home.write(scope, async (db) => {
        await decide(db, await waiting(db, id), "rejected", by, { reason });
        return find(db, id);
      });
    },
  };
}

function onlyOperator({ section }: HeldProposal): Problem {
  return new Problem(
    "not-allowed",
    `Only the operator can approve this change of “${section}”: a model took it for an override, or could not tell.`,
    "Ask the operator, or reject it.",
  );
}

function withoutHolding(rules: AmendmentContext["rules"]): AmendmentContext["rules"] {
  return (section, standing) => {
    const given = rules(section, standing);
    return { ...given, guards: given.guards.map((guard) => (change) => notHolding(askGuard(guard, change))) };
  };
}

function notHolding<Objection extends { readonly holds?: true }>(refusal: Objection | undefined) {
  return refusal?.holds ? undefined : refusal;
}

async function find(db: Database, id: string, reach: Reach = "everything"): Promise<HeldProposal> {
  const row = await db.one<HeldProposalRow>(sql`select * from held where id = ${id}${reachFilter(reach)}`);
  if (row) return heldProposalOf(row);
  throw new Problem(
    "unknown-proposal",
    `There is no held proposal “${id}”.`,
    "List what is waiting with `charter approvals`.",
  );
}
