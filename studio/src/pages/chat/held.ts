import type { ApprovalListAnswer } from "charter/answers";

/** A proposal or a call that a person decides. */
export type Held = ApprovalListAnswer["proposals"][number] | ApprovalListAnswer["calls"][number];

/** What became of it, to go on after its name. */
export function whatBecame(held: Held): string {
  const by = held.decidedBy === null ? "" : ` by ${held.decidedBy}`;
  if ("tool" in held && held.asks !== undefined)
    switch (held.status) {
      case "approved":
        return `was approved${by}: it is allowed once, with your next message, if the agent asks for the same again.`;
      case "running":
        return "was approved, and is allowed once in the turn that runs now.";
      case "done":
        return `was approved${by}, and allowed once.`;
      case "failed":
        return `was approved${by}, and not used. ${typeof held.result === "string" ? held.result : ""}`.trim();
      default:
        return rejected(by, held.decisionReason);
    }
  if ("tool" in held)
    switch (held.status) {
      case "approved":
        return `was approved${by}: it runs with your next message.`;
      case "running":
        return "was approved, and is running.";
      case "done":
        return `was approved${by}, and has run.`;
      case "failed":
        return `was approved${by}, and failed.`;
      default:
        return rejected(by, held.decisionReason);
    }
  if (held.status !== "approved") return rejected(by, held.decisionReason);
  const since =
    held.revision === null ? "" : `: it is revision ${held.revision}, and is in effect from the next prompt on`;
  return `was approved${by}${since}.`;
}

function rejected(by: string, because: string | null): string {
  return `was rejected${by}: nothing is done.${because === null ? "" : ` “${because}”`}`;
}
