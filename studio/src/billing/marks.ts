import type { Sample } from "./sample.ts";

export type Hand = "agent" | "user" | "operator";

/** Something that stands at a sample because it is worth a look. */
export type Mark =
  | { readonly kind: "amended"; readonly hand: Hand; readonly sections: readonly string[] }
  | { readonly kind: "refused" | "held"; readonly count: number }
  | { readonly kind: "failed" | "interrupted" | "erased" | "running" };

/** What marks a turn: each hand that amended once, then what was refused and held, then how it ended if not well. */
export function marksOf({ amended, refused, held, state }: Sample): readonly Mark[] {
  const byHand = Map.groupBy(amended, ({ actor }) => actor);
  return [
    ...[...byHand].map(([hand, all]): Mark => ({ kind: "amended", hand, sections: all.map(({ section }) => section) })),
    ...(refused > 0 ? [{ kind: "refused", count: refused } as const] : []),
    ...(held > 0 ? [{ kind: "held", count: held } as const] : []),
    ...(state === "answered" ? [] : [{ kind: state }]),
  ];
}

/** Why less was read from the cache than was left there, where that is known. */
export function missText({ broke }: Pick<Sample, "broke">): string {
  return broke?.says ?? "Why is not known.";
}
