import type { OutcomeAnswer } from "charter/answers";
import { ApiProblem } from "../api/request.ts";
import type { Refusal } from "../app/page.tsx";
import type { Stands } from "./unsaved.ts";

export type Quote = NonNullable<OutcomeAnswer["quote"]>;

/** What the guards say about words that were not saved yet. */
export type Verdict =
  | {
      readonly kind: "accepted";
      readonly quote: Quote | undefined;
      readonly inert: NonNullable<OutcomeAnswer["inert"]>;
      readonly unshown: OutcomeAnswer["unshown"];
    }
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "held";
      readonly refusals: readonly Refusal[];
      readonly quote: Quote | undefined;
      /** The text as it was judged. */
      readonly judged: string;
    }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[]; readonly judged?: string | undefined }
  | { readonly kind: "stale"; readonly stands: Stands };

export function verdictOf({ verdict, refusals, quote, inert = [], unshown, after }: OutcomeAnswer): Verdict {
  if (verdict === "accepted") return { kind: "accepted", quote, inert, unshown };
  if (verdict === "unchanged") return { kind: "unchanged" };
  if (verdict === "held")
    return { kind: "held", refusals: refusals.map((one) => ({ ...one, holds: true })), quote, judged: after };
  return { kind: "refused", refusals };
}

/** A no is an answer too; whatever else went wrong is none, and is thrown on. */
export function verdictIn(problem: unknown): Verdict {
  const stands = standsIn(problem);
  if (stands) return { kind: "stale", stands };
  if (problem instanceof ApiProblem && problem.status === 422 && problem.error.refusals)
    return {
      kind: "refused",
      refusals: problem.error.refusals,
      judged: (problem.error as { readonly proposed?: { readonly text: string } | null }).proposed?.text,
    };
  throw problem;
}

/** The words that stand now, out of an answer that says the others were made against older ones. */
export function standsIn(problem: unknown): Stands | undefined {
  if (!(problem instanceof ApiProblem) || problem.status !== 409) return undefined;
  return (problem.error as { readonly standing?: Stands }).standing;
}

/** How the section's tokens move, with a sign. */
export function movement({ tokens: { before, after } }: Quote): string {
  const by = after - before;
  return by === 0 ? "±0" : by > 0 ? `+${by}` : `−${-by}`;
}
