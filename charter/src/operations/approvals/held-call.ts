import { allowedOnce, permissionOf, useText } from "../../agent/turn/permission.ts";
import { preview } from "../../prompt/character.ts";
import { colours } from "../print/colour.ts";
import { oneLine, pairs, timeText } from "../print/columns.ts";
import { hintsHere } from "../print/command-name.ts";
import type { HeldCallAnswer } from "./approval-fields.ts";

export const callColumns = ["id", "time (UTC)", "agent", "user", "asked", "with"];

export function callCells({ id, at, scope, question }: HeldCallAnswer): string[] {
  const { sentence, details } = question;
  return [id, timeText(at), scope.agent, scope.user ?? "–", sentence, preview(details.join("; "), 60)];
}

/** What is decided about, by its name: a tool, or what an agent asks leave for. */
export function callName(held: HeldCallAnswer): string {
  const asked = permissionOf(held);
  return asked ? `leave to ${useText(asked)}` : held.tool;
}

/** One call whole: who asked for it, why it waits, and what the tool would be given. */
export function aboutCall(held: HeldCallAnswer): string[] {
  const { dim } = colours(process.stdout);
  const { id, scope, tool, call, turn, step, status, endedAt, result } = held;
  const asked = permissionOf(held);
  const rows: [string, string][] = [
    ["held", id],
    ["agent", scope.agent],
    ["user", scope.user ?? "–"],
    ...(asked ? permissionRows(asked) : [["tool", tool] as [string, string]]),
    ["asked for", `${timeText(held.at)} UTC, in turn ${turn}, step ${step}, as ${call}`],
    ["asked", held.question.sentence],
    ["status", statusText(held)],
  ];
  return [
    ...pairs(rows, process.stdout),
    dim("input"),
    ...jsonLines(asked ? (asked.input ?? null) : held.input),
    ...(endedAt === null ? [] : [dim("result"), ...jsonLines(result)]),
    ...(status === "waiting"
      ? [hintsHere(`Waiting for approval: charter approve ${id}, or charter reject ${id}`)]
      : []),
  ];
}

function permissionRows(asked: NonNullable<ReturnType<typeof permissionOf>>): [string, string][] {
  const { paths } = asked;
  const files: [string, string][] = paths.length === 0 ? [] : [["files", paths.join(", ")]];
  return [["permission", `the agent asks to ${useText(asked)}`], ...files, ["if approved", allowedOnce]];
}

function statusText(held: HeldCallAnswer): string {
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

export function whenItRuns(held: HeldCallAnswer): string {
  const { agent, user } = held.scope;
  const turn = `${agent}'s next turn${user === undefined ? " without a user" : ` for ${user}`}`;
  return permissionOf(held)
    ? `it is allowed once, in ${turn}, if the agent asks for the same again`
    : `it runs with ${turn}`;
}

/** Indented, and with no control character in it: nobody's words draw on the operator's terminal. */
function jsonLines(value: unknown): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return text.split("\n").map((line) => `  ${oneLine(line)}`);
}
