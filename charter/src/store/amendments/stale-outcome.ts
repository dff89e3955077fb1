import type { ReportableOutcome } from "../../amend/verdict.ts";

type RefusedOutcome = Extract<ReportableOutcome, { verdict: "refused" }>;

/** It was refused because the words it was made against are not those that stand: approving it again cannot help. */
export function isStale(outcome: ReportableOutcome): outcome is RefusedOutcome {
  return outcome.verdict === "refused" && outcome.refusals.some(({ guard }) => guard === "stale-revision");
}
