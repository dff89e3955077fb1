import { outcomeFacts, type ReportableOutcome } from "../../amend/verdict.ts";
import { unified } from "../../prompt/diff.ts";
import type { HeldProposal } from "./held-proposal-row.ts";

export type RefusedOutcome = Extract<ReportableOutcome, { verdict: "refused" }>;

/** It was refused because the words it was made against are not those that stand: approving it again cannot help. */
export function isStale(outcome: ReportableOutcome): outcome is RefusedOutcome {
  return outcome.verdict === "refused" && outcome.refusals.some(({ guard }) => guard === "stale-revision");
}

/** `before` and `after` are what stands now, as in every refusal; `proposed` is what it was made against, and wants. */
export function staleFacts(outcome: RefusedOutcome, { section, before, after, proposal }: HeldProposal) {
  const diff = unified(before, after, section);
  return {
    ...outcomeFacts(outcome, section),
    proposed: { revision: proposal.revision ?? 0, before, after, diff },
    since: unified(before, outcome.before, section),
  };
}
