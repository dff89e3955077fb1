import type { Refusal } from "./refusal.ts";

/** What became of a proposal. Refused means nothing changed, and all objections come at once. */
export type Verdict =
  | { readonly verdict: "accepted"; readonly before: string; readonly after: string; readonly revision: number }
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
