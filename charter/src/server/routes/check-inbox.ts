import type { Host } from "../../host/host.ts";
import { Problem } from "../../prompt/problem.ts";
import type { AgentRecord } from "../../store/agents.ts";

/** An agent is written to, and lives by itself, if its charter needs an inbox: no other ever looks there. */
export async function checkInbox(host: Host, agent: AgentRecord): Promise<void> {
  if (await hasInbox(host, agent)) return;
  throw new Problem(
    "no-inbox",
    `The charter of “${agent.name}” has no inbox.`,
    "Name an agent whose charter needs one, such as “sovereign”.",
  );
}

export async function hasInbox({ traits }: Host, agent: AgentRecord): Promise<boolean> {
  return (await traits(agent)).needs.includes("inbox");
}
