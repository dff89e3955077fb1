import { unified } from "../prompt/diff.ts";
import type { InertLine } from "./inert-line.ts";
import type { PublicationOutcome } from "./publication.ts";
import type { Refusal } from "./refusal.ts";
import type { UnshownText } from "./unshown.ts";

/**
 * The result of a proposal: accepted, unchanged, refused or held for approval. Refused means that nothing changed; all
 * objections come at once.
 */
export type Verdict =
  | {
      readonly verdict: "accepted";
      readonly before: string;
      readonly after: string;
      readonly revision: number;
      /** Lines that are escaped in the prompt, because some reader could take them for structure. */
      readonly inert?: readonly InertLine[];
      /** What the section's own limit leaves out of the prompt, where it is longer. */
      readonly unshown?: UnshownText;
    }
  /** No guard objects, and the text is already so. `revision` is the current one. */
  | { readonly verdict: "unchanged"; readonly before: string; readonly after: string; readonly revision: number }
  | {
      readonly verdict: "refused";
      readonly before: string;
      readonly refusals: readonly Refusal[];
      readonly proposed?: string;
    }
  | {
      readonly verdict: "held";
      readonly before: string;
      readonly after: string;
      readonly refusals: readonly Refusal[];
    };

/** A verdict, and what a store made of it: nothing, when it was a dry run. */
export type ReportableOutcome = Verdict & {
  readonly amendment?: object;
  readonly held?: string;
  readonly repeated?: true;
  readonly publication?: PublicationOutcome;
};

/** What scripts and models are told of an outcome. Refused means nothing changed: `after` is what stands then. */
export function outcomeFacts(outcome: ReportableOutcome, section: string) {
  const { verdict, before } = outcome;
  const after = outcome.verdict === "refused" ? before : outcome.after;
  const refusals = "refusals" in outcome ? outcome.refusals.map(({ guard, because }) => ({ guard, because })) : [];
  return {
    verdict,
    refusals,
    before,
    after,
    diff: unified(before, after, section),
    ...(outcome.verdict === "unchanged" || (outcome.verdict === "accepted" && outcome.amendment)
      ? { revision: outcome.revision }
      : {}),
    ...(outcome.verdict === "accepted" && outcome.inert ? { inert: outcome.inert } : {}),
    ...(outcome.verdict === "accepted" && outcome.unshown ? { unshown: outcome.unshown } : {}),
    ...(outcome.held === undefined ? {} : { held: outcome.held }),
    ...(outcome.repeated ? { repeated: true as const } : {}),
    ...(outcome.publication ? { publication: outcome.publication } : {}),
  };
}
