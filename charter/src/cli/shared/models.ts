import { createSecondOpinion } from "../../agent/second-opinion.ts";
import type { Model } from "../../delivery/model.ts";
import { loadModel } from "../../delivery/models/provider.ts";
import { createAcpModels } from "../../host/models/acp.ts";
import type { SecondOpinion } from "../../store/amendments/adviser.ts";
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

/** Second opinions of commands: by the models whose keys are in their environment. */
export function opinionIn(store: Store): SecondOpinion {
  return createSecondOpinion({ store, loadModel: (name) => loadModel(name, { env: process.env }) });
}
