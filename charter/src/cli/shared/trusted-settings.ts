import { everyMsOf } from "../../channels/automata.ts";
import { knownChains } from "../../channels/chain/chain-status.ts";
import type { ModelTable } from "../../delivery/models/model-entry.ts";
import { defaultModelName } from "../../delivery/models/provider.ts";
import { modelNames } from "../../host/models/model-names.ts";
import type { AutomataFacts } from "../../operations/operation.ts";
import type { Here } from "./trust/here.ts";

/** Model of agents that name none: the configured one, else the first of the own models, else by the keys there are. */
export async function usualModel(here: Here): Promise<string> {
  const { model, models } = await here.trustedSettings();
  const env = await here.environment();
  return modelNames(env.CHARTER_MODEL?.trim() || model)[0] ?? defaultModelName(env, models);
}

export async function modelTable(here: Here): Promise<ModelTable> {
  return (await here.trustedSettings()).models ?? {};
}

/** Settings of automata here; untrusted ones count as empty, without a question. */
export async function automataHere(here: Here): Promise<AutomataFacts> {
  const settings = await here.trustedSettings();
  const env = await here.environment();
  const agent = env.CHARTER_AUTOMATON?.trim();
  const config = agent ? { ...settings, automaton: { agent } } : settings;
  return { everyMs: everyMsOf(config), chains: knownChains(config, env) };
}
