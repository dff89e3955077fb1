// One process of many turns, so that its heap is its own: node --expose-gc many-turns-run.ts <database> <at once> <waves>

import { sqlite } from "../../charter/src/store/home/sqlite/sqlite.ts";
import { createStore } from "../../charter/src/store/store.ts";
import { manyTurns } from "./many-turns.ts";

const [, , path = "", atOnce, waves] = process.argv;
const store = await createStore(sqlite(path));
const collect = () => {
  for (let times = 0; times < 3; times++) globalThis.gc?.();
};
const result = await manyTurns(store, { atOnce: Number(atOnce), waves: Number(waves), collect });
await store.close();
process.stdout.write(JSON.stringify(result));
