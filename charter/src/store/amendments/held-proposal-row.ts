import type { Scope } from "../../amend/amendment.ts";
import type { Proposal } from "../../amend/proposal.ts";
import type { Refusal } from "../../amend/refusal.ts";
import type { Verdict } from "../../amend/verdict.ts";
import { scopeOf } from "../event.ts";
import type { Database } from "../home/database.ts";
import { sql } from "../home/sql.ts";

/** A proposal that waits for a person's approval, or did. */
export type HeldProposal = {
  readonly id: string;
  readonly scope: Scope;
  readonly section: string;
  readonly proposal: Proposal;
  readonly refusals: readonly Refusal[];
  readonly before: string;
  readonly after: string;
  readonly at: string;
  readonly status: "waiting" | "approved" | "rejected";
  readonly decidedAt: string | null;
  readonly decidedBy: string | null;
  readonly decisionReason: string | null;
  /** The revision it became, if it was approved. */
  readonly revision: number | null;
};

/**
 * What a model took for an override is the operator's to let pass: whoever asked for it, or had their agent ask, does not
 * approve it themselves.
 */
export function isForOperator({ refusals }: HeldProposal): boolean {
  return refusals.some(({ guard }) => guard === "second-opinion");
}

export type HeldProposalRow = {
  id: string;
  agent: string;
  user_id: string;
  section: string;
  proposal: string;
  refusals: string;
  before_words: string;
  after_words: string;
  at: string;
  key: string | null;
  status: HeldProposal["status"];
  decided_at: string | null;
  decided_by: string | null;
  because: string | null;
  revision: number | null;
};

export function heldProposalOf(row: HeldProposalRow): HeldProposal {
  const { id, section, at, status, because: decisionReason, revision } = row;
  return {
    id,
    scope: scopeOf(row),
    section,
    proposal: JSON.parse(row.proposal),
    refusals: JSON.parse(row.refusals),
    before: row.before_words,
    after: row.after_words,
    at,
    status,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    decisionReason,
    revision,
  };
}

type NewHeldProposal = {
  readonly id: string;
  readonly scope: Scope;
  readonly proposal: Proposal;
  readonly verdict: Extract<Verdict, { verdict: "held" }>;
  readonly at: string;
  readonly key: string | null;
};

export async function insertHeldProposal(
  db: Database,
  { id, scope, proposal, verdict, at, key }: NewHeldProposal,
): Promise<void> {
  await db.run(sql`insert into held (id, agent, user_id, section, proposal, refusals, before_words, after_words, at, key, status)
    values (${id}, ${scope.agent}, ${scope.user ?? ""}, ${proposal.section}, ${JSON.stringify(proposal)},
      ${JSON.stringify(verdict.refusals)}, ${verdict.before}, ${verdict.after}, ${at}, ${key}, ${"waiting"})`);
}

/** One more reason why it waits. */
export async function addObjection(
  db: Database,
  { id, refusals }: HeldProposal,
  objection: Refusal,
): Promise<Refusal[]> {
  const all = [...refusals, objection];
  await db.run(sql`update held set refusals = ${JSON.stringify(all)} where id = ${id}`);
  return all;
}

export async function findHeldByKey(db: Database, scope: Scope, key: string): Promise<HeldProposal | undefined> {
  const row = await db.one<HeldProposalRow>(
    sql`select * from held where agent = ${scope.agent} and user_id = ${scope.user ?? ""} and key = ${key}`,
  );
  return row && heldProposalOf(row);
}
