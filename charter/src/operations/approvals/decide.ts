import { shownCall } from "../../agent/held-question.ts";
import { isPermission } from "../../agent/turn/permission.ts";
import { rejectHeld } from "../../host/decide.ts";
import { defined } from "../../prompt/argument.ts";
import { unified } from "../../prompt/diff.ts";
import type { HeldProposal } from "../../store/amendments/held-proposal.ts";
import { isStale } from "../../store/amendments/judge.ts";
import type { Caller } from "../caller.ts";
import { either, flag, text, whole } from "../field.ts";
import { type Output, operation } from "../operation.ts";
import { colours } from "../print/colour.ts";
import { hintsHere } from "../print/command-name.ts";
import { verdictLines } from "../print/verdict.ts";
import { outcomeAnswer, refusalAnswer } from "../proposals/outcome.ts";
import { heldCall, heldProposal, heldTool, type ProposalDecision, proposalDecision } from "./approval-fields.ts";
import { heldAnswer, heldFor, withCause } from "./held.ts";
import { callName, whenItRuns } from "./held-call.ts";
import { toolsText } from "./held-tool.ts";
import { staleLines } from "./stale.ts";

const id = text("The id of what is held.");
const by = text("Who decides (default: operator).").option("name").only("command").optional();

export const approve = operation({
  name: "approvals.approve",
  says: "Approve it",
  about:
    "A tool call runs with the next turn. A tool of an MCP server is offered from the next turn on. A permission is allowed once, if the agent asks for the same again in the next turn. A proposal is checked again by every guard, against the current text. " +
    "Only an operator can approve what a second opinion held. With `content` a proposal is approved with other text, which is judged as the text of whoever approves; with `current` it is applied to the section's current text. If a guard objects, it still waits.",
  route: "POST /approvals/{id}/approve",
  command: "approve <id>",
  examples: [
    "charter approvals",
    "charter approve <id> --by eva",
    'charter approve <id> --content "- Answer in French."',
    "charter approve <id> --current",
  ],
  notes:
    "If the text has changed since, both changes are shown and nothing is applied: add --current to apply it to the current text.\nExit code 0: approved. 1: refused by another guard, or the text has changed; it still waits.",
  example: { content: "- Answer in French.", current: true },
  who: "person",
  input: {
    id,
    by,
    content: text(
      "Only for a proposal that has text: this text in its place. The guards judge it as the text of whoever approves.",
    )
      .orFile()
      .optional(),
    current: flag("Only for a proposal: apply it to the section's current text.").optional(),
    revision: whole(
      "With `current`: the revision you have read. If the section has another by now, it is not applied.",
      { least: 0 },
    )
      .option("n")
      .optional(),
    dryRun: flag("Only for a proposal: check it without approving it. No model is asked.").optional(),
  },
  answer: either(proposalDecision, heldCall, heldTool),
  statuses: {
    200: "It was approved.",
    202: "A second opinion refused what a user approved: an operator has to approve it.",
  },
  refuses: [409, 422],
  run: async (context, { id, by, content, current, revision, dryRun }) => {
    const { store, caller } = context;
    const found = await heldFor(context, id);
    const host = await context.host();
    const within = caller.kind === "operator" ? undefined : found.scope;
    const how = { ...defined({ content, revision }), ...(current && { current }), ...(dryRun && { dryRun }) };
    const approved = await host.approve(id, handOf(caller, by), within, how);
    if ("tool" in approved) return approved.tool;
    if ("call" in approved) return withCause(store, shownCall(approved.call));
    const outcome = approved.proposal;
    const { section, before, after, proposal } = found.proposal as HeldProposal;
    const about = { scope: found.scope, section };
    if (!isStale(outcome) || current) return outcomeAnswer(host, about, outcome, revision);
    const proposed = content === undefined ? { proposed: after } : {};
    const answer = await outcomeAnswer(host, about, { ...outcome, ...proposed }, proposal.revision);
    const since = unified(before, answer.standing?.text ?? outcome.before, section);
    const diff = unified(before, after, section);
    return { ...answer, before, after, diff, since, operation: proposal.operation.kind };
  },
  wire: (answer) => {
    if (!("verdict" in answer)) return { status: 200 };
    if (answer.verdict === "refused") return refusalAnswer(answer, staleHint);
    return { status: answer.verdict === "held" ? 202 : 200 };
  },
  lines: (answer, { id }) => {
    if ("verdict" in answer) return decisionLines(answer, id);
    const told =
      "server" in answer
        ? `${toolsText(answer)} offered to ${answer.agent} from the next turn on.`
        : `${callName(answer)}; ${whenItRuns(answer)}.`;
    return [`${colours(process.stdout).green("approved")}: ${told}`];
  },
});

const staleHint = "Approve it with `current` to apply it to the current text, edit it, or reject it.";

/** The guards spoke once more, about what stands now, and only the one that asked was silent. */
function decisionLines(answer: ProposalDecision, id: string): Output {
  if (answer.since !== undefined) return { out: staleLines(answer, id), code: 1 };
  const { verdict, publication } = answer;
  const isTaken = verdict === "accepted" || verdict === "unchanged";
  const waits = `It still waits for approval. Approve it again when no guard refuses it, or charter reject ${id}`;
  const isPublished = publication === undefined || publication.state === "published";
  return {
    out: [...verdictLines(answer), ...(isTaken ? [] : [hintsHere(waits)])],
    code: isTaken && isPublished ? 0 : 1,
  };
}

export const reject = operation({
  name: "approvals.reject",
  says: "Reject it",
  about: "Nothing is changed and no tool is run. The reason is told if it is proposed again.",
  route: "POST /approvals/{id}/reject",
  command: "reject <id>",
  examples: ['charter reject <id> --by eva --reason "not from a web page"'],
  example: { reason: "Not to strangers." },
  who: "person",
  input: { id, by, reason: text("Whoever asks again is told.").optional() },
  answer: either(heldProposal, heldCall, heldTool),
  statuses: { 200: "It is rejected." },
  refuses: [409],
  run: async (context, { id, by, reason }) => {
    const { store, caller } = context;
    const { scope: within } = await heldFor(context, id);
    await rejectHeld({ store, id, by: handOf(caller, by), within }, reason);
    return heldAnswer(store, await heldFor(context, id));
  },
  lines: (held) => {
    if ("server" in held) return [`rejected: ${toolsText(held)} not offered to ${held.agent} as described now.`];
    if ("tool" in held)
      return [`rejected: ${callName(held)} of ${held.scope.agent} is not ${isPermission(held) ? "given" : "run"}.`];
    return [`rejected: “${held.section}” of ${held.scope.agent} stays as it is.`];
  },
});

/** Who decided, as it is kept. */
function handOf(caller: Caller, by: string | undefined): string {
  return caller.kind === "user" ? caller.user : by || "operator";
}
