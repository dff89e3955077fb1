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
  expect(await workOf(open)).toBeLessThan(first / 20);
});
