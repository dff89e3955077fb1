import type { ApprovalListAnswer } from "charter/answers";
import { useApi } from "../api/query-client.ts";
import { withQuery } from "../api/request.ts";

/** How many approvals wait for a person, of all kinds and users of an agent. */
export function useWaiting(agent: string | undefined): number {
  return useApi<ApprovalListAnswer>(agent ? withQuery("/approvals", { agent, limit: 1 }) : undefined).data?.total ?? 0;
}
