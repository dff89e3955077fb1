import { createHost } from "../../charter/src/host/create-host.ts";
import { allRoutes, createApi } from "../../charter/src/server/app.ts";
import { listen } from "../../charter/src/server/listen.ts";
import type { loadStudio } from "../../charter/src/server/studio.ts";
import type { Store } from "../../charter/src/store/store.ts";
import { scriptedModel } from "../../charter/src/testing/index.ts";
import { listedUntil } from "./listed.ts";

/** The whole service over a store that `fillLists` has filled, at the time of its last turn; with the studio's pages, where they are given. */
export async function serveLists(store: Store, pages?: ReturnType<typeof loadStudio>) {
  const model = scriptedModel(["Fine."], { repeatLast: true });
  const clock = () => new Date(listedUntil);
  const host = createHost({ store, clock, loadModel: async () => model, env: {}, zone: "UTC" });
  const limits = { requestsPerMinute: 1e9, failuresPerMinute: 1e9 };
  const api = createApi({ host, operator: "olga", routes: allRoutes, limits, ...(pages ? { pages } : {}) });
  const { url, close } = await listen(api, { port: 0 });
  return {
    url,
    host,
    close: async () => {
      await close(0);
      await host.close(0);
    },
  };
}
