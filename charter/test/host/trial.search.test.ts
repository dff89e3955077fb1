import { expect, test } from "vitest";
import { some, times } from "../tiers/search.ts";
import { compareEdited, compareUnchanged, newHouse } from "./trial-stage.ts";

test("over hundreds of turns of all charters an unchanged section gives the very bytes that were sent", async () => {
  const stage = await newHouse();
  expect(await compareUnchanged(stage, times(30, 6))).toBeGreaterThanOrEqual(60);
  await stage.close();
});

const texts = ["Be brief. Say *please*.", "- Ask first.\n- Then act.", "Plums.\n\n\nAnd pears.  ", "日本語で。🌱", "x"];

test("over hundreds of turns of all charters a changed section gives what a store sent that had it before", async () => {
  const inputs = Array.from({ length: 8 }, (_, at) => `Is it ${at}?`);
  const { compared, cut } = await compareEdited(some(texts), inputs);
  console.info(`${compared} requests with a changed section are those of the other store; ${cut} were cut.`);
  expect(compared).toBeGreaterThanOrEqual(times(200));
});
