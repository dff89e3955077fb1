import { createHouse } from "../../src/host/create-host.ts";
import type { House } from "../../src/host/host.ts";
import type { HouseOptions } from "../../src/host/host-options.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import { type Scripted, scripted } from "../agent/model.ts";
import { newPlace, type PlaceName } from "../homes.ts";

/** A store with one assistant, “ada”, and houses in it: each as another machine would have it. */
export type HouseStage = {
  readonly store: Store;
  readonly house: House;
  readonly model: Scripted;
  readonly url: string;
  /** Where the clock stands; a test sets it. */
  readonly time: { now: Date };
  readonly another: (options?: Partial<HouseOptions>) => Promise<House>;
  readonly close: () => Promise<void>;
};

export const soul = "Be kind, and brief.";

export async function newHouse(home: PlaceName = "sqlite", options: Partial<HouseOptions> = {}): Promise<HouseStage> {
  const place = await newPlace(home);
  const time = { now: new Date("2026-02-18T15:04:00Z") };
  const clock = () => time.now;
  const model = scripted();
  const opened: { readonly house: House; readonly store: Store }[] = [];
  const another = async (more: Partial<HouseOptions> = {}) => {
    const store = await createStore(place.open(), { now: clock });
    const house = createHouse({ store, loadModel: async () => model, clock, env: {}, ...options, ...more });
    opened.push({ house, store });
    return house;
  };
  const house = await another();
  await house.store.agents.add({ name: "ada", charter: "assistant", settings: { original: { soul } } });
  return {
    store: house.store,
    house,
    model,
    url: place.url,
    time,
    another,
    close: async () => {
      for (const one of opened) {
        await one.house.close(0);
        await one.store.close();
      }
      await place.remove();
    },
  };
}
