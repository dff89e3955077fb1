import { hostname } from "node:os";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../test/eventually.ts";
import { newFile, type Place } from "../../test/homes.ts";
import { runnerName } from "../agent/agent.ts";
import { createStore, type Store } from "../store/index.ts";
import { markAbandonedTurns } from "./open.ts";

let place: Place;
let store: Store;
beforeEach(async () => {
  place = await newFile();
  store = await createStore(place.open());
  await store.agents.add({ name: "ada", charter: "assistant" });
});
afterEach(async () => {
  await store.close();
  await place.remove();
});

/** No process has this number: it is more than any system gives. */
const dead = `${hostname()}:999999999`;
const open = (id: string, runner: string) => store.turns.open({ id, scope: { agent: "ada" }, input: "Hello", runner });
const states = async () =>
  Object.fromEntries((await store.turns.list({ agent: "ada" })).map(({ id, state }) => [id, state]));

test("a turn of a process that is gone is marked at once, one of a process that lives is not", async () => {
  await open("left", dead);
  await open("mine", runnerName());
  const stop = await markAbandonedTurns(store);
  expect(await states()).toEqual({ left: "interrupted", mine: "running" });
  await stop();
});

test("it is looked again and again, also after the store was away, until it is told to stop", async () => {
  let away = 2;
  const interruptAbandoned: Store["turns"]["interruptAbandoned"] = async (about) => {
    if (away-- === 1) throw new Error("away");
    return store.turns.interruptAbandoned(about);
  };
  const stop = await markAbandonedTurns({ ...store, turns: { ...store.turns, interruptAbandoned } }, 5);
  await eventually(() => away < 0);
  await open("later", dead);
  await eventually(async () => (await states()).later === "interrupted");
  await stop();
  const looked = away;
  await open("last", dead);
  await store.agents.list();
  expect([away, await states()]).toEqual([looked, { later: "interrupted", last: "running" }]);
});
