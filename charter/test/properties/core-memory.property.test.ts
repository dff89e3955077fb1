import { expect, test } from "vitest";
import { memoryStore } from "../../src/testing/scripted-model.ts";
import { faultsOf, memoryHistory } from "../core-memory/memory-history.ts";
import { newWorld } from "../core-memory/memory-world.ts";
import { runs } from "../tiers/search.ts";
import { alwaysAsync } from "./generate.ts";

test("an agent that ever had a core memory never seems to be without, whatever relays, processes and clocks do", async () => {
  const time = { now: 0 };
  const store = await memoryStore({ clock: () => new Date(time.now * 1000) });
  let agents = 0;
  await alwaysAsync(
    memoryHistory,
    async ({ relays, steps }) => {
      const world = await newWorld({ store, agent: `ada-${++agents}`, relays, time });
      expect(await faultsOf(world, steps)).toEqual([]);
    },
    runs(15, 600),
  );
  await store.close();
});
