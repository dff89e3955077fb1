import type { ApprovalListAnswer } from "charter/answers";

export type HeldProposal = ApprovalListAnswer["proposals"][number];
export type HeldCall = ApprovalListAnswer["calls"][number];
export type HeldTool = ApprovalListAnswer["tools"][number];
export type Status = HeldCall["status"];

/** What may become of what waits. A proposal is decided and done; a call is made later, and comes to something. */
export const statuses: readonly (readonly [Status, string])[] = [
  ["waiting", "Waiting"],
  ["approved", "Approved"],
  ["rejected", "Rejected"],
  ["running", "Running"],
  ["done", "Done"],
  ["failed", "Failed"],
];

/** Proposals, calls, and tools of MCP servers as one list, oldest first. */
export function waitingOf({
  proposals,
  calls,
  tools,
}: Pick<ApprovalListAnswer, "proposals" | "calls" | "tools">): readonly (HeldProposal | HeldCall | HeldTool)[] {
  return [...proposals, ...calls, ...tools].sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
}
