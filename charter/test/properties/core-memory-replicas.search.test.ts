import { expect, test } from "vitest";
import { createStore } from "../../src/store/index.ts";
import { faultsOf, memoryHistory } from "../core-memory/memory-history.ts";
import { newWorld } from "../core-memory/memory-world.ts";
import { newPlace } from "../homes.ts";
import { times } from "../tiers/search.ts";
import { alwaysAsync } from "./generate.ts";

test("an agent on two replicas, each with a connection to PostgreSQL, never seems to be without its core memory", async () => {
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
    times(100),
  );
  await Promise.all([store.close(), other.close()]);
  await place.remove();
});
