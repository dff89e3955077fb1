import { rephrased } from "../../amend/guard.ts";
import type { Refusal } from "../../amend/refusal.ts";
import type { Verdict } from "../../amend/verdict.ts";
import { Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database, Reach } from "../home/database.ts";
import { type Page, pageOf } from "../home/page.ts";
import { reachOf } from "../home/reach.ts";
import { type Query, raw, sql } from "../home/sql.ts";
import type { HeldCall } from "../turns/held-call-row.ts";
import { type ApproveOptions, approvedProposal } from "./approved-proposal.ts";
import { type Cause, type CauseQuery, findCauses } from "./cause.ts";
import type { AmendmentContext, ProposalOutcome } from "./context.ts";
import {
  addObjection,
  type HeldProposal,
  type HeldProposalRow,
  heldProposalOf,
  heldRows,
  isForOperator,
  keepEdit,
} from "./held-proposal-row.ts";
import { createJudge } from "./judge.ts";
import { createSender, decideProposal } from "./propose.ts";
import { decideWithOpinion, type HeardOpinion, type OpinionNeeded } from "./second-opinion.ts";

/** `store.held`: proposals that wait for a person's approval. */
export type HeldProposals = {
  /** Oldest first; those that are waiting, unless another status is given. */
  readonly list: (
    about?: Page & { agent?: string; user?: string; status?: HeldProposal["status"] },
  ) => Promise<HeldProposal[]>;
  readonly get: (id: string, reach?: Reach) => Promise<HeldProposal>;
  /** How many there are: proposals, calls, and tools of MCP servers (which are no user's). */
  readonly count: (about?: {
    agent?: string;
    user?: string;
    status?: HeldCall["status"];
  }) => Promise<{ readonly proposals: number; readonly calls: number; readonly tools: number }>;
  /** What led to proposals and calls, by their ids: the turn, and the untrusted text that was in it. */
  readonly causes: (of: readonly CauseQuery[], reach?: Reach) => Promise<ReadonlyMap<string, Cause>>;
  /**
   * Judges the proposal again with the current text, without the guard that asked for a person. What a user approves
   * also goes to the agent's second opinion; what the operator approves does not. Edited text that anyone objects to
   * is refused, and the proposal waits on as it was made.
   */
  readonly approve: (
    id: string,
    by: string,
    context: AmendmentContext,
    how?: ApproveOptions,
  ) => Promise<ProposalOutcome>;
  /** What `approve` would come to, by the guards; no model is asked, and nothing is stored. */
  readonly judge: (id: string, by: string, context: AmendmentContext, how?: ApproveOptions) => Promise<Verdict>;
  readonly reject: (id: string, by: string, because?: string) => Promise<HeldProposal>;
};

export function createHeldProposals(deps: StoreDeps): HeldProposals {
  const { home, now } = deps;
  const judge = createJudge(deps);
  /** Nobody else decides meanwhile. */
  const waiting = async (db: Database, id: string): Promise<HeldProposal> => {
    const lock = db.dialect.lock(JSON.stringify(["held", id]));
    if (lock) await db.all(lock);
    const held = await find(db, id);
    checkWaiting(held);
    return held;
  };
  const decide = async (
    db: Database,
    held: HeldProposal,
    status: HeldProposal["status"],
    by: string,
    more: { readonly reason?: string | undefined; readonly revision?: number; readonly how?: HowApproved },
  ) => {
    const at = now();
    const taken = await db.run(sql`update held set status = ${status}, decided_at = ${at}, decided_by = ${by},
      because = ${more.reason ?? null}, revision = ${more.revision ?? null} where id = ${held.id} and status = 'waiting'`);
    if (taken === 0) await waiting(db, held.id);
    const { reason, revision, how } = more;
    const said = {
      ...how,
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
        const rows = await db.all<HeldProposalRow>(sql`${heldRows} where h.status = ${status}
          ${agent === undefined ? raw("") : sql`and h.agent = ${agent}`}
          ${user === undefined ? raw("") : sql`and h.user_id = ${user}`} order by h.id limit ${limit} offset ${offset}`);
        return rows.map(heldProposalOf);
      }),
    count: ({ agent, user, status = "waiting" } = {}) =>
      home.read(reachOf(agent, user), async (db) => {
        const ofAgent = agent === undefined ? raw("") : sql`and agent = ${agent}`;
        const ofUser = user === undefined ? raw("") : sql`and user_id = ${user}`;
        const of = (table: string, whose: Query) =>
          sql`(select count(distinct id) from ${raw(table)} where status = ${status} ${whose})`;
        const counted = await db.one<{ proposals: number; calls: number; tools: number }>(
          sql`select ${of("held", sql`${ofAgent} ${ofUser}`)} as proposals,
            ${of("held_calls", sql`${ofAgent} ${ofUser}`)} as calls,
            ${user === undefined ? of("tool_pins", ofAgent) : raw("0")} as tools`,
        );
        return counted ?? { proposals: 0, calls: 0, tools: 0 };
      }),
    causes: (of, reach = "everything") => findCauses(home, of, reach),
    get: (id, reach = "everything") => home.read(reach, (db) => find(db, id, reach)),
    approve: async (id, by, { idempotencyKey: _, ...context }, how = {}) => {
      const { hand = "operator" } = how;
      const { scope } = await home.read("everything", (db) => find(db, id));
      const sent = createSender();
      const asked = { ...context, scope, rules: withoutHolding(context.rules), onPublisher: sent.take };
      const settleOnce = (heard: HeardOpinion | undefined) =>
        home.write(scope, async (db): Promise<ProposalOutcome | OpinionNeeded> => {
          const held = await waiting(db, id);
          checkHand(held, hand);
          const { proposal, edited } = approvedProposal(held, by, how);
          if (heard?.objection && !edited) {
            const { before, after } = held;
            const refusals = await addObjection(db, held, heard.objection);
            return { verdict: "held", before, after, refusals, held: id };
          }
          // What a model says about edited text is about that: the proposal itself waits on as it did.
          if (heard?.objection) return refusedEdit(heard, heard.objection);
          const verdict = await decideProposal(deps, db, asked, proposal, hand === "operator" ? "approved" : heard);
          if (!("verdict" in verdict)) return verdict;
          if (verdict.verdict !== "accepted" && verdict.verdict !== "unchanged") return verdict;
          const said = {
            ...(edited ? { edited: true as const } : {}),
            ...(how.current ? { current: true as const } : {}),
          };
          const became = verdict.verdict === "accepted" ? { revision: verdict.revision } : {};
          await decide(db, held, "approved", by, { ...became, how: said });
          if (edited) await keepEdit(db, held, edited);
          return verdict;
        });
      return sent.after(await decideWithOpinion(deps, asked, settleOnce));
    },
    judge: async (id, by, context, how = {}) => {
      const held = await home.read("everything", (db) => find(db, id));
      checkWaiting(held);
      checkHand(held, how.hand ?? "operator");
      const { proposal } = approvedProposal(held, by, how);
      return judge({ ...context, scope: held.scope, rules: withoutHolding(context.rules) }, proposal);
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

function checkWaiting({ id, status, decidedAt }: HeldProposal): void {
  if (status === "waiting") return;
  throw new Problem(
    "already-decided",
    `The proposal “${id}” was ${status} ${decidedAt}.`,
    "List what is waiting with `charter approvals`.",
  );
}

/** How it was approved, as its event tells it. */
type HowApproved = { readonly edited?: true; readonly current?: true };

function refusedEdit({ before, after }: HeardOpinion, { guard, because }: Refusal): ProposalOutcome {
  return { verdict: "refused", before, proposed: after, refusals: [{ guard, because }] };
}

function checkHand(held: HeldProposal, hand: "operator" | "user"): void {
  if (hand === "operator" || !isForOperator(held)) return;
  const { section } = held;
  throw new Problem(
    "not-allowed",
    `Only the operator can approve this change of “${section}”: a model took it for an override, or could not tell.`,
    "Ask the operator, or reject it.",
  );
}

function withoutHolding(rules: AmendmentContext["rules"]): AmendmentContext["rules"] {
  return (section, standing) => {
    const given = rules(section, standing);
    return { ...given, guards: given.guards.map((guard) => rephrased(guard, notHolding)) };
  };
}

function notHolding<Objection extends { readonly holds?: true }>(refusal: Objection | undefined) {
  return refusal?.holds ? undefined : refusal;
}

function within(reach: Reach): Query {
  if (reach === "everything") return raw("");
  return sql` and h.agent = ${reach.agent} and h.user_id in ('', ${reach.user ?? ""})`;
}

async function find(db: Database, id: string, reach: Reach = "everything"): Promise<HeldProposal> {
  const row = await db.one<HeldProposalRow>(sql`${heldRows} where h.id = ${id}${within(reach)}`);
  if (row) return heldProposalOf(row);
  throw new Problem(
    "unknown-proposal",
    `There is no held proposal “${id}”.`,
    "List what is waiting with `charter approvals`.",
  );
}
