import type { Place } from "../../homes.ts";
import { diesAt } from "./kill-phase.ts";
import type { Death } from "./kill-turns.ts";

/** Every kind of moment a turn has, by what it is asked; some only one has that reads more than its model takes. */
const kinds = {
  it: "turn-start step-start draft tool-call tool effect propose amended proposed came commit committed tool-result close turn-end",
  read: "refused learn summary-asked summary-came compacted baseline",
};

/** A moment of a turn that is asked this. */
export type Moment = Death & { readonly input: string };

export type MomentsReport = {
  readonly deaths: number;
  readonly answered: number;
  readonly interrupted: number;
  /** It died before the turn was on record at all. */
  readonly unbegun: number;
  readonly faults: readonly string[];
};

type NewPlace = () => Promise<Place>;

/** Every moment there is, found by turns that live. */
export async function listMoments(newPlace: NewPlace): Promise<readonly Moment[]> {
  const all: Moment[] = [];
  for (const [input, words] of Object.entries(kinds)) {
    const { moments } = await onPlace(newPlace, undefined, input);
    // Of a kind that never comes there is one all the same: nobody dies there, which is a fault.
    for (const moment of words.split(" "))
      for (let count = 1; count <= (moments[moment] ?? 1); count++) all.push({ input, moment, count });
  }
  return all;
}

/** One process dies at each of these moments. */
export async function dieAt(newPlace: NewPlace, moments: readonly Moment[]): Promise<MomentsReport> {
  const states: string[] = [];
  const faults: string[] = [];
  for (const { input, ...death } of moments) {
    const found = await onPlace(newPlace, death, input);
    if (!found.died) faults.push(`${death.moment} ${death.count}: it did not come`);
    faults.push(...found.faults.map((fault) => `${death.moment} ${death.count}: ${fault}`));
    states.push(found.state);
  }
  const of = (state: string) => states.filter((one) => one === state).length;
  const counts = { answered: of("answered"), interrupted: of("interrupted"), unbegun: of("nowhere") };
  const other = states.length - counts.answered - counts.interrupted - counts.unbegun;
  if (other > 0) faults.push(`${other} turns were neither whole nor interrupted`);
  return { deaths: states.length, ...counts, faults };
}

async function onPlace(newPlace: NewPlace, death: Death | undefined, input: string) {
  const place = await newPlace();
  try {
    return await diesAt(place, death, input);
  } finally {
    await place.remove();
  }
}
