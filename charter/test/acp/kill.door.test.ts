import { expect, test } from "vitest";
import { killAgents } from "./kill-agents.ts";

test("an agent that is killed in the middle of a turn: the turn says why, the next is answered, no process is left", async () => {
  // The third moment of the first victim: it was asked, and has not answered.
  const { faults, answered, failed } = await killAgents(1, 12);
  expect([faults, answered + failed]).toEqual([[], 1]);
});
