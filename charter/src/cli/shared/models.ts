import type { Model } from "../../delivery/model.ts";
import { loadModel } from "../../delivery/models/provider.ts";
import { createAcpModels } from "../../host/acp.ts";
import type { Store } from "../../store/store.ts";

/** The models a command can ask: those whose API keys are in its environment, and agents over ACP. */
export type CommandModels = {
  readonly load: (name: string) => Promise<Model>;
  /** Ends the processes of agents over ACP. */
  readonly close: () => Promise<void>;
};

export function modelsFor(store: Store): CommandModels {
  const acp = createAcpModels({
    store,
    env: process.env,
    acp: async () => (await import("./config-keys.ts")).acpHere(),
    keys: async () => (await import("./config-keys.ts")).keysHere(),
  });
  return {
    load: (name) => (acp.isAcp(name) ? acp.load(name) : loadModel(name, { env: process.env })),
    close: acp.close,
  };
}
