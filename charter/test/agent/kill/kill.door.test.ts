import { expect, test } from "vitest";
import { newPlace, type PlaceName } from "../../homes.ts";
import { diesAt } from "./kill-phase.ts";
import { longRows, type Row, rows } from "./kill-rows.ts";

/** One of each kind, on each home once; the search has them all. */
const trials: readonly [home: PlaceName, when: string, of: readonly Row[], input: string][] = [
  ["sqlite", "when its tool took effect", rows, "it"],
  ["postgres", "while its amendment is written", rows, "it"],
  ["sqlite", "when the step that begins with a summary is kept", longRows, "read"],
  ["postgres", "before the window is kept", longRows, "read"],
];

for (const [home, when, of, input] of trials)
  test(`a process that dies ${when}, on ${home}: what was done is told once, and nothing is lost or doubled`, async () => {
    const [, die, found] = of.find(([one]) => one === when) as Row;
    const place = await newPlace(home);
    try {
      expect(await diesAt(place, die, input)).toMatchObject({ died: true, ...found, faults: [] });
    } finally {
      await place.remove();
    }
  });

test("foreign words a turn had read when its process died taint the turns after it", async () => {
  const found = { died: true, state: "interrupted", recorded: "look", happened: "look", amended: false, faults: [] };
  const place = await newPlace("sqlite");
  try {
    expect(await diesAt(place, { moment: "tool-result", count: 1 }, "look around")).toMatchObject(found);
  } finally {
    await place.remove();
  }
});
