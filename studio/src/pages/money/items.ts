import { placeOf } from "../../app/place.ts";
import { dayTicks, type Sample } from "../../billing/sample.ts";
import type { Item, Tick } from "../../chart/plot.tsx";
import { timeText } from "../../kit/words.ts";

/** Turns as the things of a chart: what is said of each, and where it leads. */
export function itemsOf(
  agent: string,
  samples: readonly Sample[],
  says: (sample: Sample, index: number) => string,
): readonly Item[] {
  return samples.map((sample, index) => ({
    key: sample.turn,
    says: `${timeText(sample.startedAt)}, ${sample.scope.user ?? "no user"}: ${says(sample, index)}`,
    href: placeOf(agent, "turns", sample.turn),
  }));
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** Where days begin, as far as their names have room: so many columns lie between two of them. */
export function daysOf(samples: readonly Sample[], apart: number): readonly Tick[] {
  return dayTicks(samples, (at) => day.format(new Date(at)), apart)
    .filter(({ named }) => named)
    .map(({ at, day: text }) => ({ at, text }));
}
