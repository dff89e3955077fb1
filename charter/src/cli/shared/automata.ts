import { everyMsOf } from "../../channels/automata.ts";
import { knownChains } from "../../channels/chain/chain-status.ts";
import type { AutomataFacts } from "../../operations/operation.ts";
import type { Here } from "./trust/here.ts";

/** What the settings here say of agents that live by themselves. Those that are not trusted name none, and are not asked. */
export async function automataHere(here: Here): Promise<AutomataFacts> {
  const settings = await here.trustedSettings();
  const env = await here.environment();
  const agent = env.CHARTER_AUTOMATON?.trim();
  const config = agent ? { ...settings, automaton: { agent } } : settings;
  return { everyMs: everyMsOf(config), chains: knownChains(config, env) };
}
