import type { CacheRule, Stratum } from "../strata/layout.ts";
import type { Assembled } from "./assembled.ts";

/** A section of a prompt that stands in its text, and where the receiver gets it: a stratum of the picture as it is. */
export type Placed = Assembled["sections"][number] & { readonly cut: boolean; readonly tail: boolean };

/**
 * The sections in the order they are delivered. A layered receiver gets what moves at the end; one that takes a single
 * string gets the charter's own order, and whatever stands after the first thing that moves is not cached either.
 */
export function placedSections({ sections, cuts, about }: Assembled): readonly Placed[] {
  const cut = new Set(cuts.map(({ section }) => section));
  const moves = ({ mutability, stability }: Assembled["sections"][number]) =>
    mutability !== "fixed" && stability !== "stable";
  const first = sections.findIndex(moves);
  const layered = about.receiver.slots === "layered";
  const placed = sections.map((section, index) => ({
    ...section,
    cut: cut.has(section.name),
    tail: layered ? moves(section) : first !== -1 && index >= first,
  }));
  return layered ? [...placed.filter(({ tail }) => !tail), ...placed.filter(({ tail }) => tail)] : placed;
}

/** How the prefix of such a prompt is cached. */
export function cacheRuleOf({ about }: Pick<Assembled, "about">): CacheRule {
  return { min: about.receiver.cacheMin, tools: about.toolTokens };
}

/** How many tokens are of which mutability. */
export function sharesOf(strata: readonly Stratum[]): Readonly<Record<Stratum["mutability"], number>> {
  const shares = { fixed: 0, amendable: 0, live: 0 };
  for (const { mutability, tokens } of strata) shares[mutability] += tokens;
  return shares;
}
