import { expect, test } from "vitest";
import { randomFrom, seed, times } from "../tiers/search.ts";
import { killAgents } from "./kill-agents.ts";

test("agents, what they started and we ourselves, killed at many moments of a turn: it is whole or interrupted, nothing is sent twice, no process is left", async () => {
  const kills = times(200);
  const first = Math.floor(randomFrom(seed)() * 200);
  const { answered, failed, interrupted, unbegun, faults } = await killAgents(kills, first);
  console.log(
    `ACP: ${kills} kills in the middle of a turn, ${answered} whole, ${failed} failed with the reason, ${interrupted} interrupted, ${unbegun} never begun, ${faults.length} faults`,
  );
  expect(faults).toEqual([]);
  expect(answered + failed + interrupted + unbegun).toBe(kills);
});
