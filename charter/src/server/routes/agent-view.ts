import type { Host } from "../../host/host.ts";
import type { CharterTraits } from "../../host/load.ts";
import { Problem } from "../../prompt/problem.ts";
import type { AgentRecord } from "../../store/agents.ts";
import { agentVersion } from "../http/agent-version.ts";

/** An agent as an operator is told of it. */
export async function wholeAgent(host: Host, one: AgentRecord) {
  return { ...one, version: agentVersion(one), ...(await traitsOf(host, one)) };
}

/** Nothing of one whose charter cannot be loaded, or may not be: what is wrong is told where it is used. */
async function traitsOf({ traits }: Host, agent: AgentRecord): Promise<Partial<CharterTraits>> {
  try {
    return await traits(agent);
  } catch (error) {
    if (error instanceof Problem) return {};
    throw error;
  }
}
