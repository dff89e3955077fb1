import { automatonStatus } from "../../channels/automaton/automaton-status.ts";
import type { Host } from "../../host/host.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { AutomataFacts } from "../operation.ts";

/** How an agent that lives by itself is, as far as that is known here: whoever asks is told the same. */
export async function lifeOf(
  host: Host,
  found: AgentRecord,
  { everyMs, chains }: AutomataFacts = {},
  transitions?: number,
) {
  const { name } = found;
  const { chainStatus } = await import("../../channels/chain/chain-status.ts");
  const chain = await chainStatus(host.store, name, chains?.get(name), host.clock());
  return automatonStatus(host, found, { everyMs: everyMs?.get(name), chain, ...(transitions && { transitions }) });
}
