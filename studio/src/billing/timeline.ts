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
