import { expect, test } from "vitest";
import { doors, refusedFolder, stageDoors } from "./bounded-lists.ts";
import { growthOf, mostGrowth, workOf } from "./work.ts";

stageDoors();

test.each(Object.keys(doors))("%s: four times as many are four times the work", async (name) => {
  expect(await growthOf(doors[name] as (typeof doors)[string])).toBeLessThan(mostGrowth);
});

test("a folder that cannot be used is not read again until a file changes", async () => {
  const open = refusedFolder(400);
  const first = await workOf(open);
  // What else the process does is counted, too, and only ever adds.
  const again = [await workOf(open), await workOf(open), await workOf(open)];
  expect(Math.min(...again)).toBeLessThan(first / 20);
});
