import { type Charter, findSection, type PlacedSection, sectionMutability } from "../prompt/charter.ts";
import { checkProposal, checkRules, checkStandingText } from "./check-proposal.ts";
import { compactLineRefusal } from "./compact-line-refusal.ts";
import { askGuards, type Guard, quietTurn, type TurnFacts } from "./guard.ts";
import { allowedHand } from "./guards/allowed-hand.ts";
import { approvedBy } from "./guards/approved-by.ts";
import { inertLines } from "./inert-line.ts";
import { applyOperation } from "./operation.ts";
import type { Proposal } from "./proposal.ts";
import type { Publisher } from "./publication.ts";
import type { Refusal } from "./refusal.ts";
import { unshownText } from "./unshown.ts";
import type { Verdict } from "./verdict.ts";

/**
 * A section's current text, its original, and how to find its earlier revisions: what `amend` judges a proposal
 * against.
 */
export type StandingText = {
  readonly text: string;
  readonly original: string;
  readonly revision: number;
  /** The revision this text is of, where it is not the newest: a newer one was found invalid. */
  readonly stands?: number;
  /** The text of an earlier revision, for `revert`. */
  readonly revisionText?: (revision: number) => string | undefined;
};

/** What applies to the amendments of one section: its guards, and how its text is prepared for them. */
export type Rules = {
  readonly guards: readonly Guard[];
  /** A person has approved the change: what would only hold it is let pass. */
  readonly approved?: true;
  /** This many characters at the start of the original may not change. */
  readonly opening?: number;
  /** Prepares a new text before it is checked; for example trims it. */
  readonly normalise?: (text: string) => string;
  /** Where the section is also kept elsewhere: what is accepted is published there. */
  readonly publisher?: Publisher;
};

/**
 * Judges one proposal by a section's rules and saves nothing. It is pure, so a dry run and the real change agree.
 *
 * Every guard is asked, so all objections come back at once; only a long text that is too large is not read for structure,
 * overrides and room. A change that leaves the text as it is needs no approval and becomes no revision.
 */
export function amend(
  charter: Charter,
  standing: StandingText,
  proposal: Proposal,
  rules: Rules,
  turn: TurnFacts = quietTurn,
): Verdict {
  checkProposal(proposal);
  checkStandingText(standing);
  checkRules(rules);
  const placed = findSection(charter, proposal.section);
  const { text: before, original, revision } = standing;
  const applied = applyOperation(proposal.operation, {
    text: before,
    original,
    opening: rules.opening ?? 0,
    lined: placed.section.compact === "line",
    revisionText:
      standing.revisionText ?? ((asked) => (asked === 0 ? original : asked === revision ? before : undefined)),
  });
  const settle = proposal.operation.kind === "reset" ? undefined : rules.normalise;
  const after = "after" in applied ? (settle ? settle(applied.after) : applied.after) : before;
  const change = {
    placed,
    operation: proposal.operation,
    actor: proposal.actor,
    original,
    before,
    after,
    revision,
    base: proposal.revision,
    turn,
  };
  const spoken = askGuards([...guardsOf(placed, rules), approvedBy], change);
  const unfit = "refusal" in applied ? applied.refusal : compactLineRefusal(change);
  const refusals: Refusal[] = unfit ? [unfit, ...spoken] : spoken;
  const against = refusals.filter((refusal) => !refusal.holds);
  if (against.length > 0)
    return { verdict: "refused", before, refusals: against, ...("after" in applied ? { proposed: after } : {}) };
  if (after === before && (standing.stands ?? revision) === revision)
    return { verdict: "unchanged", before, after, revision };
  if (refusals.length > 0 && !rules.approved) return { verdict: "held", before, after, refusals };
  const inert = inertLines(charter, placed.section.name, after);
  const unshown = unshownText(placed.section, after);
  return {
    verdict: "accepted",
    before,
    after,
    revision: revision + 1,
    ...(inert.length > 0 ? { inert } : {}),
    ...(unshown ? { unshown } : {}),
  };
}

/** Whatever the rules: a change of words that nobody may change would be recorded, and stand nowhere. */
function guardsOf({ section, layer }: PlacedSection, { guards }: Rules): readonly Guard[] {
  const isAmendable = typeof sectionMutability(section, layer) === "object";
  return isAmendable || guards.includes(allowedHand) ? guards : [allowedHand, ...guards];
}
