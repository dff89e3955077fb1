import { expect } from "vitest";
import { newPlace, type PlaceName } from "../../homes.ts";
import { runCanaries } from "./canary-run.ts";

/** A few turns of each kind, and nobody's words where they have no business. */
export async function expectNoneAbroad(home: PlaceName): Promise<void> {
  const place = await newPlace(home);
  try {
    const { faults, answers, ...seen } = await runCanaries(place, { turns: 30 });
    expect(faults).toEqual([]);
    // They were looked for in something.
    for (const [what, count] of Object.entries(seen)) expect([what, count > 2]).toEqual([what, true]);
    expect(Object.keys(answers)).toEqual(expect.arrayContaining(["200", "201", "400", "401", "404"]));
  } finally {
    await place.remove();
  }
}
