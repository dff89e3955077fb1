import { expect, test } from "vitest";
import { times } from "../tiers/search.ts";
import { compareUnchanged, newHouse } from "./trial-stage.ts";

test("over hundreds of turns of all charters an unchanged section gives the very bytes that were sent", async () => {
  const stage = await newHouse();
  expect(await compareUnchanged(stage, times(30, 6))).toBeGreaterThanOrEqual(48);
  await stage.close();
});
