import type { AgentRecord } from "../../store/agents.ts";
import { sha256 } from "../../store/texts/sha256.ts";

/** Names how an agent is set up: another version as soon as anyone changes any of it. Freezing it changes nothing. */
export function agentVersion({ charter, model, fallbacks = [], settings, label }: AgentRecord): string {
  return sha256(JSON.stringify([charter, model, fallbacks, settings, label ?? null])).slice(0, 16);
}
