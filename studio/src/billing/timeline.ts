import type { Layout } from "../strata/layout.ts";
import type { Stratum } from "../strata/stratum.ts";
import type { Sample } from "./sample.ts";

/** Where a day begins: before which sample; its name, where there is room for one. */
export type DayTick = { readonly at: number; readonly day: string; readonly named: boolean };

/** `dayOf` says which day a moment is on, for whoever looks. `apart`: so many samples lie between two names at least. */
export function dayTicks(
  samples: readonly Pick<Sample, "startedAt">[],
  dayOf: (at: string) => string,
  apart: number,
): readonly DayTick[] {
  const ticks: DayTick[] = [];
  let last = Number.NEGATIVE_INFINITY;
  samples.forEach(({ startedAt }, at) => {
    const day = dayOf(startedAt);
    if (at > 0 && ticks.at(-1)?.day === day) return;
    const named = at - last >= apart;
    if (named) last = at;
    ticks.push({ at, day, named });
  });
  return ticks;
}

/** The lower edge of the same section in two samples beside each other. `step`: it has become larger or smaller. */
export type Seam = {
  readonly left: number;
  readonly right: number;
  readonly mutability: Stratum["mutability"];
  readonly step: boolean;
};

/** Lines that would lie closer than this on both sides are drawn once. */
const leastApart = 2;

export function seamsBetween(left: Layout, right: Layout): readonly Seam[] {
  const edges = new Map(edgesOf(left).map((edge) => [edge.key, edge]));
  const seams: Seam[] = [];
  for (const { key, at, stratum } of edgesOf(right)) {
    const other = edges.get(key);
    if (!other) continue;
    const last = seams.at(-1);
    const step = other.stratum.tokens !== stratum.tokens;
    const near = last && Math.abs(other.at - last.left) < leastApart && Math.abs(at - last.right) < leastApart;
    if (near && !step) continue;
    seams.push({ left: other.at, right: at, mutability: stratum.mutability, step });
  }
  return seams;
}

/** A band that several sections share ends where the last of them does. A section may have been sent twice. */
function edgesOf({
  bands,
}: Layout): readonly { readonly key: string; readonly at: number; readonly stratum: Stratum }[] {
  const times = new Map<string, number>();
  return bands.map(({ from, height, strata }) => {
    const stratum = strata.at(-1) as Stratum;
    const time = (times.get(stratum.name) ?? 0) + 1;
    times.set(stratum.name, time);
    return { key: `${time}\0${stratum.name}`, at: from + height, stratum };
  });
}

/** So many tokens fill the height of every sample: those of the largest. */
export function commonScale(sums: readonly number[]): number {
  return Math.max(1, ...sums);
}
