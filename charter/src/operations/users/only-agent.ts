import { listed, Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";

/** The agent that is named, or the only one there is. */
export async function onlyAgent(store: Store, agent?: string): Promise<string> {
  if (agent !== undefined) return (await store.agents.get(agent)).name;
  const names = (await store.agents.list()).map(({ name }) => name);
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return only;
  throw new Problem("usage", `With which agent? There are ${listed(names)}.`, "Say --agent and its name.");
}
