import { useQuery } from "@tanstack/react-query";
import type { ApprovalListAnswer, TurnAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { type ApiProblem, encodeName, getJson, withQuery } from "../../api/request.ts";
import { useListedAgent } from "../../app/agents.tsx";
import { type Recorded, recorded } from "./recorded.ts";

/**
 * What happened in a turn that is over, read once it is looked at. It does not change any more; and where the one step
 * was the answer, there is nothing to read: unless the model is an agent that acts while it answers.
 */
export function useRecorded(turn: TurnAnswer, seen: boolean) {
  const { id, state, steps, reply } = turn;
  const acts = useActing(turn);
  const over = state !== "running" && state !== "erased";
  return useQuery<Recorded, ApiProblem>({
    queryKey: ["recorded", id, state],
    enabled: seen && over && (steps > 1 || (steps > 0 && (state !== "answered" || acts))),
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const path = withQuery(`/turns/${encodeName(id)}`, { parts: "receipts,sample" });
      const { receipts, sample } = await getJson<TurnAnswer<"receipts" | "sample">>(path, signal);
      return recorded(receipts, sample.events, reply);
    },
  });
}

/** Whether more may have come of one step than its answer. Both lists are on this page anyway. */
function useActing({ id, tainted, scope: { agent } }: TurnAnswer): boolean {
  const waiting = useApi<ApprovalListAnswer>(withQuery("/approvals", { agent, limit: 100 })).data?.calls;
  const model = useListedAgent(agent).listed?.model;
  return tainted || model?.startsWith("acp/") === true || waiting?.some(({ turn }) => turn === id) === true;
}
