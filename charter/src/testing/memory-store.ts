import { checkNames } from "../prompt/argument.ts";
import type { Store } from "../store/store.ts";

/** How a store in memory is opened. */
export type MemoryStoreOptions = {
  /** What time it is in the store; the computer's, unless said otherwise. Give the agent the same. */
  readonly clock?: () => Date;
};

/** A real store, in SQLite, in memory: nothing of it is faked, and nothing is left of it when it is closed. */
export async function memoryStore(options: MemoryStoreOptions = {}): Promise<Store> {
  checkNames<MemoryStoreOptions>("memoryStore", options, ["clock"]);
  const { clock } = options;
  // Loaded here, so that the rest of this door does without a database, as in a browser.
  const [{ createStore }, { sqlite }] = await Promise.all([
    import("../store/store.ts"),
    import("../store/home/sqlite/sqlite.ts"),
  ]);
  return createStore(sqlite(":memory:"), clock ? { now: clock } : {});
}
