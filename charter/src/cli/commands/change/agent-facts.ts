import { factsOf } from "../../../charters/facts.ts";
import { type CharterTraits, loadCharter, traitsOf } from "../../../host/load.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { Store } from "../../../store/store.ts";
import { checkCharterFile } from "../../shared/trusted-database.ts";

/** What its charter says of itself; nothing of one that cannot be loaded, or may not be. */
export async function agentTraits(store: Store, agent: AgentRecord): Promise<Partial<CharterTraits>> {
  try {
    await checkCharterFile(store, agent);
    const { given } = await loadCharter(agent.charter);
    return traitsOf(await given(factsOf({ ...agent.settings, agent: agent.name }), () => new Date()));
  } catch (error) {
    if (error instanceof Problem) return {};
    throw error;
  }
}
