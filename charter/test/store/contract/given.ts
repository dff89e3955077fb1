import { afterAll, beforeAll, describe } from "vitest";
import { Problem } from "../../../src/index.ts";
import { createStore, type Store } from "../../../src/store/index.ts";
import { homes, newPlace, type Place, type PlaceName } from "../../homes.ts";

/** A clock that stands still until it is moved. */
export type Clock = { readonly now: () => Date; readonly text: () => string; readonly move: (ms: number) => void };

/** What the tests of one topic share: a store in one home, and the clock it looks at. */
export type Given = {
  readonly name: PlaceName;
  readonly place: Place;
  readonly store: Store;
  readonly clock: Clock;
  /** An agent nobody has used yet. */
  readonly agent: () => Promise<string>;
  /** The scope of the user “bo” with such an agent. */
  readonly scope: () => Promise<{ readonly agent: string; readonly user: string }>;
  /** Another store in the same home, as another process would open it; closed at the end. */
  readonly another: () => Promise<Store>;
  /** The store and two others. */
  readonly three: () => Promise<readonly Store[]>;
};

export function createClock(start = "2026-02-18T00:00:00.000Z"): Clock {
  let at = Date.parse(start);
  return {
    now: () => new Date(at),
    text: () => new Date(at).toISOString(),
    move: (ms) => {
      at += ms;
    },
  };
}

/** The same promises, kept in every home. */
export function onEveryHome(topic: string, tests: (given: Given) => void): void {
  for (const home of homes) onHome(home, `${topic}, on ${home}`, tests);
}

export function onHome(name: PlaceName, topic: string, tests: (given: Given) => void): void {
  describe(topic, () => {
    const clock = createClock();
    const opened: Store[] = [];
    let place: Place;
    let agents = 0;
    const another = async () => {
      const store = await createStore(place.open(), { now: clock.now });
      opened.push(store);
      return store;
    };
    beforeAll(async () => {
      place = await newPlace(name);
      await another();
    });
    afterAll(async () => {
      for (const store of opened) await store.close();
      await place?.remove();
    });
    const first = () => opened[0] as Store;
    const agent = async () => (await first().agents.put({ name: `ada-${++agents}`, charter: "test" })).name;
    tests({
      name,
      clock,
      another,
      get place() {
        return place;
      },
      get store() {
        return first();
      },
      agent,
      scope: async () => ({ agent: await agent(), user: "bo" }),
      three: async () => [first(), await another(), await another()],
    });
  });
}

/** What a call was refused with: `code: message hint`. */
export async function problemOf(work: Promise<unknown> | (() => Promise<unknown>)): Promise<string> {
  try {
    await (typeof work === "function" ? work() : work);
  } catch (error) {
    if (error instanceof Problem) return `${error.code}: ${error.message} ${error.hint}`;
    throw error;
  }
  return "no problem";
}
