import { expect, test } from "vitest";
import { createStore } from "../../src/store/index.ts";
import { memoryStore } from "../../src/testing/memory-store.ts";
import { faultsOf, memoryHistory } from "../core-memory/memory-history.ts";
import { newWorld } from "../core-memory/memory-world.ts";
import { newPlace } from "../homes.ts";
import { alwaysAsync, patience, runs } from "./generate.ts";

test("an agent that ever had a core memory never seems to be without, whatever relays, processes and clocks do", {
  timeout: patience,
}, async () => {
  const time = { now: 0 };
  const store = await memoryStore({ clock: () => new Date(time.now * 1000) });
  let agents = 0;
  await alwaysAsync(memoryHistory, async ({ relays, steps }) => {
    const world = await newWorld({ store, agent: `ada-${++agents}`, relays, time });
    expect(await faultsOf(world, steps)).toEqual([]);
  });
  await store.close();
});

test.runIf(runs >= 400)(
  "the same of two replicas on PostgreSQL, each with a connection of its own",
  {
    timeout: patience,
  },
  async () => {
    const place = await newPlace("postgres");
    const time = { now: 0 };
    const now = () => new Date(time.now * 1000);
    const [store, other] = [await createStore(place.open(), { now }), await createStore(place.open(), { now })];
    let agents = 0;
    await alwaysAsync(
      memoryHistory,
      async ({ relays, steps }) => {
        const world = await newWorld({ store, other, agent: `ada-${++agents}`, relays, time });
        expect(await faultsOf(world, steps)).toEqual([]);
      },
      0.02,
    );
    await Promise.all([store.close(), other.close()]);
    await place.remove();
  },
);
