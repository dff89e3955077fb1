import type { Place } from "../../homes.ts";
import { diesAt } from "./kill-phase.ts";

/** Every kind of moment a turn has. How many of each there are is found out by dying at one after the other. */
const kinds =
  "turn-start step-start draft tool-call tool effect propose amended proposed came commit committed tool-result close turn-end";
/** Those that only one has that reads more than its model takes. */
const longKinds = "refused learn summary-asked summary-came compacted baseline";

export type MomentsReport = {
  readonly deaths: number;
  readonly answered: number;
  readonly interrupted: number;
  /** It died before the turn was on record at all. */
  readonly unbegun: number;
  readonly faults: readonly string[];
};

/** One process dies at each moment of a turn there is. */
export async function dieEverywhere(
  newPlace: () => Promise<Place>,
  progress: (deaths: number) => void = () => {},
): Promise<MomentsReport> {
  const states: string[] = [];
  const faults: string[] = [];
  const all = [
    ...kinds.split(" ").map((moment) => ({ moment, input: "it" })),
    ...longKinds.split(" ").map((moment) => ({ moment, input: "read" })),
  ];
  for (const { moment, input } of all)
    for (let count = 1; ; count++) {
      const place = await newPlace();
      const found = await diesAt(place, { moment, count }, input);
      await place.remove();
      faults.push(...found.faults.map((fault) => `${moment} ${count}: ${fault}`));
      if (!found.died) {
        if (count === 1) faults.push(`${moment}: there is no such moment`);
        break;
      }
      states.push(found.state);
      progress(states.length);
    }
  const of = (state: string) => states.filter((one) => one === state).length;
  const counts = { answered: of("answered"), interrupted: of("interrupted"), unbegun: of("nowhere") };
  const other = states.length - counts.answered - counts.interrupted - counts.unbegun;
  if (other > 0) faults.push(`${other} turns were neither whole nor interrupted`);
  return { deaths: states.length, ...counts, faults };
}
