import type { Scope } from "../../amend/amendment.ts";
import type { Proposal } from "../../amend/proposal.ts";
import type { Refusal } from "../../amend/refusal.ts";
import type { Verdict } from "../../amend/verdict.ts";
import { scopeOf } from "../event.ts";
import type { Database } from "../home/database.ts";
import { type Query, raw, sql } from "../home/sql.ts";

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
  /** While it waits: the section has changed since it was proposed, so it can only be applied to the current text. */
  readonly stale: boolean;
  /** The section's current text, where it is stale. */
  readonly standing: { readonly text: string; readonly revision: number } | null;
  /** What was approved in place of the proposed text, and by whom it was edited. */
  readonly edited: EditedText | null;
};

/** Text that a person put in place of the proposed one before approving it. */
export type EditedText = { readonly by: string; readonly actor: "operator" | "user"; readonly content: string };

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
  /** Where the section stands now; null where it was never amended. */
  standing_revision: number | null;
  standing_words: string | null;
};

/** Held proposals, each with the text its section has now: one question for all of them. */
export const heldRows: Query = raw(`select h.*, s.revision as standing_revision, s.words as standing_words
  from held h left join standings s on s.agent = h.agent and s.user_id = h.user_id and s.section = h.section`);

export function heldProposalOf(row: HeldProposalRow): HeldProposal {
  const { id, section, at, status, because: decisionReason, revision } = row;
  // What was edited is kept beside the proposal, which stays as it was made.
  const { edited, ...proposal } = JSON.parse(row.proposal) as Proposal & { readonly edited?: EditedText };
  const { standing_revision: now, standing_words: text } = row;
  const { revision: base } = proposal;
  const stale = status === "waiting" && base !== undefined && base !== (now ?? 0);
  return {
    id,
    scope: scopeOf(row),
    section,
    proposal,
    refusals: JSON.parse(row.refusals),
    before: row.before_words,
    after: row.after_words,
    at,
    status,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    decisionReason,
    revision,
    stale,
    standing: stale && now !== null && text !== null ? { text, revision: now } : null,
    edited: edited ?? null,
  };
}

/** The edited text is kept with the proposal it took the place of. */
export async function keepEdit(db: Database, { id, proposal }: HeldProposal, edited: EditedText): Promise<void> {
  await db.run(sql`update held set proposal = ${JSON.stringify({ ...proposal, edited })} where id = ${id}`);
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
    sql`${heldRows} where h.agent = ${scope.agent} and h.user_id = ${scope.user ?? ""} and h.key = ${key}`,
  );
  return row && heldProposalOf(row);
}
