import { quoted } from "../../prompt/fence.ts";
import { oneLine, pairs, timeText } from "../print/columns.ts";
import { hintsHere } from "../print/command-name.ts";
import { changes } from "../print/verdict.ts";
import type { HeldProposalAnswer } from "./approval-fields.ts";

export const proposalColumns = ["id", "time (UTC)", "agent", "user", "section", "operation", "by", "stale", "reason"];

export function proposalCells({ id, at, scope, section, proposal, stale }: HeldProposalAnswer): string[] {
  const { operation, actor, reason = "" } = proposal;
  return [
    id,
    timeText(at),
    scope.agent,
    scope.user ?? "–",
    section,
    operation.kind,
    actor,
    stale ? "yes" : "–",
    reason,
  ];
}

/** One proposal whole: what a person needs to decide. */
export function aboutProposal(held: HeldProposalAnswer): string[] {
  const { id, scope, section, proposal, refusals, status, decidedBy, decidedAt, decisionReason } = held;
  const decided = `${status} by ${decidedBy}, ${timeText(decidedAt ?? "")} UTC${decisionReason ? `: ${decisionReason}` : ""}`;
  const rows: [string, string][] = [
    ["held", id],
    ["agent", scope.agent],
    ["user", scope.user ?? "–"],
    ["section", section],
    ["proposed", `${proposal.operation.kind} by the ${proposal.actor}, ${timeText(held.at)} UTC`],
    ["turn", proposal.turn ?? "–"],
    ["reason", proposal.reason ?? "–"],
    ["status", status === "waiting" ? "waiting" : decided],
    ...(held.stale ? [["stale", staleText(held)] as [string, string]] : []),
    ...(held.edited ? [["edited", `by ${held.edited.by}`] as [string, string]] : []),
  ];
  return [
    ...pairs(rows, process.stdout),
    ...refusals.map(({ guard, because: why }) => `  ${guard}: ${oneLine(why)}`),
    ...changes(held.before, held.after, section),
    ...(status === "waiting"
      ? [hintsHere(`Waiting for approval: charter approve ${id}, or charter reject ${id}`)]
      : []),
  ];
}

function staleText({ proposal, standing }: HeldProposalAnswer): string {
  const now = standing ? `is at revision ${standing.revision}` : "has changed";
  return `yes: the section ${now}, and this was made against revision ${proposal.revision ?? 0}`;
}

type Cause = NonNullable<HeldProposalAnswer["cause"]>;

const cameFrom: Readonly<Record<Cause["from"], string>> = {
  user: "the user's own input",
  message: "untrusted text in the message",
  file: "files that came with the input",
  tool: "untrusted text from a tool",
  conversation: "untrusted text earlier in the conversation",
  other: "untrusted text in the prompt",
};

/** What led to it, each on one line: nothing in it can pass for a line of ours. */
export function causeLines(cause: Cause | null): string[] {
  if (!cause) return [];
  const { from, tool, input, text } = cause;
  return [
    `Cause: ${cameFrom[from]}${tool === null ? "" : ` “${tool}”`}`,
    `  input: ${quoted(input)}`,
    ...(text === null || text === input ? [] : [`  untrusted text: ${quoted(text)}`]),
    ...(cause.shortened
      ? [hintsHere(`  These are only the beginnings. See all of it: charter turns ${cause.source}`)]
      : []),
  ];
}
