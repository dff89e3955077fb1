import { preview } from "../../prompt/character.ts";
import type { HeldCall } from "../../store/turns/held-call-row.ts";
import { colours } from "./colour.ts";
import { oneLine, pairs, timeText } from "./columns.ts";

export const callColumns = ["id", "time (UTC)", "agent", "user", "tool", "input", "reason"];

export function callCells({ id, at, scope, tool, input, reason }: HeldCall): string[] {
  const given = preview(JSON.stringify(input), 60);
  return [id, timeText(at), scope.agent, scope.user ?? "–", tool, given, reason];
}

/** One call whole: who asked for it, why it waits, and what the tool would be given. */
export function aboutCall(held: HeldCall): string[] {
  const { dim } = colours(process.stdout);
  const { id, scope, tool, call, turn, step, status, endedAt, result } = held;
  const rows: [string, string][] = [
    ["held", id],
    ["agent", scope.agent],
    ["user", scope.user ?? "–"],
    ["tool", tool],
    ["asked for", `${timeText(held.at)} UTC, in turn ${turn}, step ${step}, as ${call}`],
    ["reason", held.reason],
    ["status", statusText(held)],
  ];
  return [
    ...pairs(rows, process.stdout),
    dim("input"),
    ...jsonLines(held.input),
    ...(endedAt === null ? [] : [dim("result"), ...jsonLines(result)]),
    ...(status === "waiting" ? [`Waiting for approval: charter approve ${id}, or charter reject ${id}`] : []),
  ];
}

function statusText(held: HeldCall): string {
  const { status, decidedAt, decidedBy, decisionReason, takenAt, endedAt } = held;
  if (status === "waiting") return status;
  const decision = status === "rejected" ? "rejected" : "approved";
  const decided = `${decision} by ${decidedBy}, ${timeText(decidedAt ?? "")} UTC${decisionReason ? `: ${decisionReason}` : ""}`;
  if (status === "approved") return `${decided}; ${whenItRuns(held)}`;
  if (status === "rejected") return decided;
  if (status === "running")
    return `running since ${timeText(takenAt ?? "")} UTC; ${decided}. If its process died, it is not run again.`;
  return `${status} ${timeText(endedAt ?? "")} UTC; ${decided}`;
}

export function whenItRuns({ scope: { agent, user } }: HeldCall): string {
  return `it runs with ${agent}'s next turn${user === undefined ? " without a user" : ` for ${user}`}`;
}

/** Indented, and with no control character in it: nobody's words draw on the operator's terminal. */
function jsonLines(value: unknown): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return text.split("\n").map((line) => `  ${oneLine(line)}`);
}
