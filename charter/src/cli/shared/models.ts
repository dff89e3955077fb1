import { createSecondOpinion } from "../../agent/second-opinion.ts";
import type { Model } from "../../delivery/model.ts";
import { defaultModelName, loadModel } from "../../delivery/models/provider.ts";
import type { ModelTable } from "../../delivery/models/table/model-entry.ts";
import { createAcpModels } from "../../host/models/acp.ts";
import { type ModelNames, modelNames } from "../../host/models/model-list.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { SecondOpinion } from "../../store/amendments/adviser.ts";
import type { Store } from "../../store/store.ts";
import { environmentForModels, environmentHere } from "./trust/directory-settings.ts";

const settingsHere = () => import("./config-keys.ts");
const modelsHere = async () => (await settingsHere()).modelsHere();
const lazily = {
  acp: async () => (await settingsHere()).acpHere(),
  keys: async () => (await settingsHere()).keysHere(),
};

/** The models a command can ask: those of the settings here, those whose API keys are in its environment, and agents over ACP. */
export type CommandModels = {
  readonly load: (name: string) => Promise<Model>;
  /** The window that was set for that one. */
  readonly usualWindow: () => Promise<number | undefined>;
  /** Ends the processes of agents over ACP. */
  readonly close: () => Promise<void>;
};

export function modelsFor(store: Store): CommandModels {
  const acp = createAcpModels({ store, env: process.env, ...lazily });
  return {
    load: (name) => (acp.isAcp(name) ? acp.load(name) : loadHere(name)),
    usualWindow: async () => (await modelsHere()).window,
    close: acp.close,
  };
}

/** The model of agents that name none: as it is set, else the first of the settings' models, else by the keys there are. */
export async function usualModel(): Promise<string> {
  return (await usualModels())[0] as string;
}

/** The same with those that are asked on an outage of it. */
async function usualModels(): Promise<readonly string[]> {
  const { model, models } = await modelsHere();
  const env = await environmentHere();
  const names = modelNames(env.CHARTER_MODEL?.trim() || model);
  return names.length > 0 ? names : [defaultModelName(env, models)];
}

export async function modelTable(): Promise<ModelTable> {
  return (await modelsHere()).models ?? {};
}

async function loadHere(name: string): Promise<Model> {
  const env = await environmentForModels();
  return loadModel(name, { env, models: (await modelsHere()).models });
}

/** Second opinions of commands: by the same models, agents over ACP aside. */
export function opinionIn(store: Store): SecondOpinion {
  return createSecondOpinion({ store, loadModel: loadHere });
}

/** The models a command asks, in order: those that were named with it, the agent's, or the usual ones. */
export async function namesFor(agent: AgentRecord, named: ModelNames | undefined): Promise<readonly string[]> {
  const given = modelNames(named);
  if (given.length > 0) return given;
  return agent.model === null ? usualModels() : [agent.model, ...(agent.fallbacks ?? [])];
}
