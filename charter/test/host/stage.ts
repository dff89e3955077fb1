import { createHost } from "../../src/host/create-host.ts";
import type { Host } from "../../src/host/host.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import { type Scripted, scripted } from "../agent/model.ts";
import { newPlace, type PlaceName } from "../homes.ts";

/** A store with one assistant, “ada”, and houses in it: each as another machine would have it. */
export type HostStage = {
  readonly store: Store;
  readonly host: Host;
  readonly model: Scripted;
  readonly url: string;
  /** Where the clock stands; a test sets it. */
  readonly time: { now: Date };
  readonly another: (options?: Partial<HostOptions>) => Promise<Host>;
  readonly close: () => Promise<void>;
};

export const soul = "Be kind, and brief.";

export async function newHost(home: PlaceName = "sqlite", options: Partial<HostOptions> = {}): Promise<HostStage> {
  const place = await newPlace(home);
  const time = { now: new Date("2026-02-18T15:04:00Z") };
  const clock = () => time.now;
  const model = scripted();
  const opened: { readonly host: Host; readonly store: Store }[] = [];
  const another = async (more: Partial<HostOptions> = {}) => {
    const store = await createStore(place.open(), { now: clock });
    const host = createHost({ store, loadModel: async () => model, clock, env: {}, ...options, ...more });
    opened.push({ host, store });
    return host;
  };
  const host = await another();
  await host.store.agents.add({ name: "ada", charter: "assistant", settings: { original: { soul } } });
  return {
    store: host.store,
    host,
    model,
    url: place.url,
    time,
    another,
    close: async () => {
      for (const one of opened) {
        await one.host.close(0);
        await one.store.close();
      }
      await place.remove();
    },
  };
}
