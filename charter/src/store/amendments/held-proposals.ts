import type { Verdict } from "../../amend/amend.ts";
import type { Refusal } from "../../amend/operation.ts";
import { Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database, Reach } from "../home/database.ts";
import { lockNamed, matching, onPage, type Page, reachOf } from "../home/query.ts";
import { type Query, raw, sql } from "../home/sql.ts";
import type { HeldCall } from "../turns/held-calls.ts";
import { type Cause, type CauseQuery, findCauses } from "./cause.ts";
import {
  type ApproveOptions,
  addObjections,
  approvedProposal,
  decideWithOpinion,
  findHeld,
  type HeardOpinion,
  type HeldProposal,
  type OpinionNeeded,
  waitsForOperator,
} from "./held-proposal.ts";
import { type AmendmentContext, createJudge, type ProposalOutcome } from "./judge.ts";
import { createSender, decideProposal } from "./propose.ts";

/** `store.held`: proposals that wait for a person's approval. */
export type HeldProposals = {
  /** Lists proposals, oldest first; those that are waiting, unless another status is given. */
  readonly list: (
    about?: Page & { agent?: string; user?: string; status?: HeldProposal["status"] },
  ) => Promise<HeldProposal[]>;
  readonly get: (id: string, reach?: Reach) => Promise<HeldProposal>;
  /** Counts held proposals, calls, and tools of MCP servers (which belong to no user). */
  readonly count: (about?: {
    agent?: string;
    user?: string;
    status?: HeldCall["status"];
  }) => Promise<{ readonly proposals: number; readonly calls: number; readonly tools: number }>;
  /** Returns what led to proposals and calls, by their ids: the turn, and the untrusted text that was in it. */
  readonly causes: (of: readonly CauseQuery[]) => Promise<ReadonlyMap<string, Cause>>;
  /**
   * Judges the proposal again with the current text, without the guards that asked for a person. If a user approves, the agent's
   * second opinion is asked as well; if the operator approves, it is not. Edited text that is objected to is refused, and the
   * proposal waits on unchanged.
   */
  readonly approve: (
    id: string,
    by: string,
    context: AmendmentContext,
    how?: ApproveOptions,
  ) => Promise<ProposalOutcome>;
  /** Returns the verdict that `approve` would give, by the guards; no model is asked, and nothing is stored. */
  readonly judge: (id: string, by: string, context: AmendmentContext, how?: ApproveOptions) => Promise<Verdict>;
  readonly reject: (id: string, by: string, because?: string) => Promise<HeldProposal>;
};

export function createHeldProposals(deps: StoreDeps): HeldProposals {
  const { home, now } = deps;
  const judge = createJudge(deps);
  /** Locks a proposal, so that nobody else decides it meanwhile, and refuses one that was decided. */
  const waiting = async (db: Database, id: string): Promise<HeldProposal> => {
    await lockNamed(db, ["held", id]);
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
      decision_reason = ${more.reason ?? null}, revision = ${more.revision ?? null} where id = ${held.id} and status = 'waiting'`);
    if (taken === 0) await waiting(db, held.id);
    const { reason, how } = more;
    // Of text that all read, the event of the amendment names the revision: this one is the user's.
    const revision = held.shared && held.scope.user !== undefined ? undefined : more.revision;
    const reasons = {
      ...how,
      ...(reason === undefined ? {} : { because: reason }),
      ...(revision === undefined ? {} : { revision }),
    };
    const detail = { held: held.id, section: held.section, by, ...reasons };
    recordEvent(db, at, { scope: held.scope, kind: `held-${status}`, turn: held.proposal.turn ?? null, detail });
  };
  return {
    list: ({ agent, user, status = "waiting", ...page } = {}) =>
      home.read(reachOf(agent, user), (db) => {
        const filter = matching({ "h.status": status, "h.agent": agent, "h.user_id": user });
        return findHeld(db, sql`${filter} order by h.id ${onPage(page)}`);
      }),
    count: ({ agent, user, status = "waiting" } = {}) =>
      home.read(reachOf(agent, user), async (db) => {
        const of = (table: string, whose: Query) => sql`(select count(distinct id) from ${raw(table)} where ${whose})`;
        const filter = matching({ status, agent, user_id: user });
        const tools = user === undefined ? of("tool_pins", filter) : raw("0");
        const counted = await db.one<{ proposals: number; calls: number; tools: number }>(
          sql`select ${of("held", filter)} as proposals, ${of("held_calls", filter)} as calls, ${tools} as tools`,
        );
        return counted ?? { proposals: 0, calls: 0, tools: 0 };
      }),
    causes: (of) => findCauses(home, of),
    get: (id, reach = "everything") => home.read(reach, (db) => find(db, id, reach)),
    approve: async (id, by, { idempotencyKey: _, ...context }, how = {}) => {
      const { hand = "operator" } = how;
      const { scope, shared } = await home.read("everything", (db) => find(db, id));
      const whose = shared ? { agent: scope.agent } : scope;
      const sent = createSender();
      const rules = approvedRules(context.rules, hand);
      const approval = { ...context, scope, whose, id, rules, onPublisher: sent.take };
      const settleOnce = (heard: HeardOpinion | undefined) =>
        home.write(shared ? "everything" : scope, async (db): Promise<ProposalOutcome | OpinionNeeded> => {
          const held = await waiting(db, id);
          checkHand(held, hand);
          const { proposal, edited } = approvedProposal(held, by, how);
          if (heard?.objection) return waitOn(db, held, [heard.objection], edited && heard);
          const verdict = await decideProposal(deps, db, approval, proposal, hand === "operator" ? "approved" : heard);
          if (!("verdict" in verdict)) return verdict;
          if (verdict.verdict === "held") return waitOn(db, held, verdict.refusals, edited && verdict);
          if (verdict.verdict === "refused") return verdict;
          const changes = {
            ...(edited ? { edited: true as const } : {}),
            ...(how.current ? { current: true as const } : {}),
          };
          const became = verdict.verdict === "accepted" ? { revision: verdict.revision } : {};
          await decide(db, held, "approved", by, { ...became, how: changes });
          if (edited) await db.run(sql`update held set edited = ${JSON.stringify(edited)} where id = ${id}`);
          return verdict;
        });
      return sent.after(await decideWithOpinion(deps, approval, settleOnce));
    },
    judge: async (id, by, context, how = {}) => {
      const held = await home.read("everything", (db) => find(db, id));
      checkWaiting(held);
      const { hand = "operator" } = how;
      checkHand(held, hand);
      const { proposal } = approvedProposal(held, by, how);
      return judge({ ...context, scope: held.scope, rules: approvedRules(context.rules, hand) }, proposal);
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

/** Details of an approval, for its event. */
type HowApproved = { readonly edited?: true; readonly current?: true };

type TextChange = { readonly before: string; readonly after: string };

/**
 * Leaves a proposal waiting that a user approved and the operator has to. An objection to `edited` text is about that text: it is
 * refused, and the proposal waits on unchanged.
 */
async function waitOn(
  db: Database,
  held: HeldProposal,
  objections: readonly Refusal[],
  edited: TextChange | undefined,
): Promise<ProposalOutcome> {
  const { before, after, id } = held;
  if (!edited) return { verdict: "held", before, after, refusals: await addObjections(db, held, objections), held: id };
  const refusals = objections.map(({ guard, because }) => ({ guard, because }));
  return { verdict: "refused", before: edited.before, proposed: edited.after, refusals };
}

function checkHand(held: HeldProposal, hand: "operator" | "user"): void {
  if (hand === "operator" || !waitsForOperator(held)) return;
  const { section, refusals } = held;
  const isHeldBy = (name: string) => refusals.some(({ guard }) => guard === name);
  const why = isHeldBy("second-opinion")
    ? "a model took it for an override, or could not tell"
    : isHeldBy("approved-by")
      ? "its charter says so"
      : "all users of the agent read it";
  throw new Problem(
    "not-allowed",
    `Only the operator can approve this change of “${section}”: ${why}.`,
    "Ask the operator, or reject it.",
  );
}

function approvedRules(rules: AmendmentContext["rules"], approved: "operator" | "user"): AmendmentContext["rules"] {
  return (section, standing) => ({ ...rules(section, standing), approved });
}

async function find(db: Database, id: string, reach: Reach = "everything"): Promise<HeldProposal> {
  const within =
    reach === "everything" ? raw("") : sql` and h.agent = ${reach.agent} and h.user_id in ('', ${reach.user ?? ""})`;
  const [held] = await findHeld(db, sql`h.id = ${id}${within}`);
  if (held) return held;
  throw new Problem(
    "unknown-proposal",
    `There is no held proposal “${id}”.`,
    "List what is waiting with `charter approvals`.",
  );
}
