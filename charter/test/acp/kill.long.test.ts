import { expect, test } from "vitest";
import { killAgents } from "./kill-agents.ts";

test("agents, what they started and we ourselves, killed at many moments of a turn: it is whole or interrupted, nothing is sent twice, no process is left", async () => {
  // `npm run crash -- --only acp` does it 200 times.
  const kills = 24;
  const { answered, failed, interrupted, unbegun, faults } = await killAgents(kills);
  expect(faults).toEqual([]);
  expect(answered + failed + interrupted + unbegun).toBe(kills);
  expect([answered > 0, failed > 0, interrupted > 0]).toEqual([true, true, true]);
});
