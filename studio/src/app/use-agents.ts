import type { AgentListAnswer } from "charter/answers";
import { useApi } from "../api/query-client.ts";
import { withQuery } from "../api/request.ts";

export type ListedAgent = AgentListAnswer["agents"][number];

/** So many are looked through at a glance; where there are more, they are found by typing. */
const atAGlance = 10;

/** The first agents by name, and whether there are more: every page has them, from one answer. */
export function useFirstAgents() {
  return useApi<AgentListAnswer>(withQuery("/agents", { limit: atAGlance }));
}

/** An agent as lists have it: one of the first, or else looked for by its name. */
export function useListedAgent(name: string | undefined) {
  const first = useFirstAgents();
  const isIt = (one: ListedAgent) => one.name === name;
  const among = first.data?.agents.find(isIt);
  // Others may have its name in theirs.
  const path = withQuery("/agents", { query: name, limit: 1000 });
  const found = useApi<AgentListAnswer>(first.data?.more && name !== undefined && !among ? path : undefined);
  return { listed: among ?? found.data?.agents.find(isIt), isPending: first.isPending || found.isLoading };
}
