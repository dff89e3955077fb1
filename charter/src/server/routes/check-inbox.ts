import type { Host } from "../../host/host.ts";
import { Problem } from "../../prompt/problem.ts";
import type { AgentRecord } from "../../store/agents.ts";

/** An agent is written to, and lives by itself, if its charter needs an inbox: no other ever looks there. */
export async function checkInbox({ traits }: Host, agent: AgentRecord): Promise<void> {
  if ((await traits(agent)).needs.includes("inbox")) return;
  throw new Problem(
    "no-inbox",
    `The charter of “${agent.name}” has no inbox.`,
    "Name an agent whose charter needs one, such as “sovereign”.",
  );
}
