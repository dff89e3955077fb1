import { outcomeFacts, type ReportableOutcome } from "../../amend/verdict.ts";
import { unified } from "../../prompt/diff.ts";
import type { HeldProposal } from "./held-proposal-row.ts";

export type RefusedOutcome = Extract<ReportableOutcome, { verdict: "refused" }>;

/** It was refused because the words it was made against are not those that stand: approving it again cannot help. */
export function isStale(outcome: ReportableOutcome): outcome is RefusedOutcome {
  return outcome.verdict === "refused" && outcome.refusals.some(({ guard }) => guard === "stale-revision");
}

type RevisionText = { readonly text: string; readonly revision: number };

/** Both texts, as over HTTP, and what each changes in the text the proposal was made against: `diff`, and `since`. */
export function staleFacts(outcome: RefusedOutcome, standing: RevisionText, held: HeldProposal) {
  const { section, before, after, proposal } = held;
  const { verdict, refusals } = outcomeFacts(outcome, section);
  return {
    verdict,
    refusals,
    held: held.id,
    standing: { text: standing.text, revision: standing.revision },
    proposed: { text: after, revision: proposal.revision ?? 0 },
    diff: unified(before, after, section),
    since: unified(before, standing.text, section),
  };
}
