import type { Row } from "./measure.ts";
import { traceTitle } from "./trace.ts";

/** A promise about a figure. */
export type Bound = { readonly what: string; readonly figure: number; readonly max: number; readonly where: string };

export function held({ figure, max }: Bound): boolean {
  return figure <= max;
}

/** What Charter is held to on a trace; nothing while it is not measured. */
export function boundsOf({ workload, turns, steps, provider, billed, prefixChanges }: Row): Bound[] {
  const { charter, "volatile after the history": after, "no caching": none, ideal } = billed;
  if (charter === null || after === null || none === null || prefixChanges.charter === null) return [];
  const where = `${traceTitle(workload, turns, steps)}, ${provider}`;
  const against = turns < 200 ? 1.02 : workload === "sovereign-turns-varying" ? 0.96 : 1.01;
  const span =
    turns < 200
      ? "a short session"
      : workload === "sovereign-turns-varying"
        ? "counterparts varying"
        : "a long session";
  return [
    { what: `× volatile after the history, ${span}`, figure: charter / after, max: against, where },
    ...(workload === "edited-file" && ideal !== null && turns < 200
      ? [{ what: "× the ideal, a file edited in every turn", figure: charter / ideal, max: 1.05, where }]
      : []),
    { what: "× no caching", figure: charter / none, max: 1, where },
    // A session folds where what it told costs more than a new prefix: not in one turn of ten.
    { what: "prefix changes in turns of state, of all turns", figure: prefixChanges.charter / turns, max: 0.1, where },
  ];
}

/** The worst of each kind: where it is nearest to being missed, or missed by max. */
export function worstOf(bounds: readonly Bound[]): Bound[] {
  const kinds = Map.groupBy(bounds, ({ what }) => what);
  return [...kinds.values()].map((kind) => kind.reduce((worst, one) => (one.figure > worst.figure ? one : worst)));
}
