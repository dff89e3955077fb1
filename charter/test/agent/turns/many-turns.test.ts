import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { manyTurns } from "../../../../bench/workloads/many-turns.ts";
import { createStore } from "../../../src/store/index.ts";
import { newFile } from "../../homes.ts";

test("the turns of many users at once are all answered, and nothing of them listens on afterwards", async () => {
  const place = await newFile();
  const store = await createStore(place.open());
  const { signal } = new AbortController();
  const { samples, wrong } = await manyTurns(store, { atOnce: 50, waves: 5, signal });
  const running = (await store.turns.list({ limit: 1000 })).filter(({ state }) => state !== "answered");
  await store.close();
  await place.remove();
  expect({ wrong, turns: samples.at(-1)?.turns, running }).toEqual({ wrong: [], turns: 250, running: [] });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
