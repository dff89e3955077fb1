import { shownCall } from "../../agent/held-question.ts";
import { isPermission } from "../../agent/turn/permission.ts";
import type { Operation } from "../../amend/operation.ts";
import { rejectHeld } from "../../host/decide.ts";
import { defined } from "../../prompt/argument.ts";
import { unified } from "../../prompt/diff.ts";
import { causeQuery } from "../../store/amendments/cause.ts";
import type { HeldProposal } from "../../store/amendments/held-proposal.ts";
import { isStale } from "../../store/amendments/judge.ts";
import { readPage } from "../../store/home/query.ts";
import { type Caller, reachOf } from "../caller.ts";
import { agent, either, flag, list, more, object, page, text, user, whole } from "../field.ts";
import { type Output, operation } from "../operation.ts";
import { colours, columns, painted } from "../print/columns.ts";
import { hintsHere } from "../print/command-name.ts";
import { outcomeAnswer, refusalAnswer, verdictLines } from "../print/verdict.ts";
import {
  aboutCall,
  aboutProposal,
  aboutTool,
  callCells,
  callColumns,
  callName,
  callStatus,
  causeLines,
  heldAnswer,
  heldCall,
  heldFor,
  heldProposal,
  heldTool,
  type ProposalDecision,
  proposalCells,
  proposalColumns,
  proposalDecision,
  toolCells,
  toolColumns,
  toolsText,
  whenItRuns,
  withCause,
} from "./held.ts";

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
    "charter approve <id> --mine",
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
    mine: flag(
      "It waits because of a picture that the user sent themselves: the picture is their own, and nothing is asked because of it any more in that conversation.",
    ).optional(),
    dryRun: flag("Only for a proposal: check it without approving it. No model is asked.").optional(),
  },
  answer: either(proposalDecision, heldCall, heldTool),
  statuses: {
    200: "It was approved.",
    202: "A second opinion refused what a user approved: an operator has to approve it.",
  },
  refuses: [409, 422],
  run: async (context, { id, by, content, current, revision, mine, dryRun }) => {
    const { store, caller } = context;
    const item = await heldFor(context, id);
    const host = await context.host();
    const within = caller.kind === "operator" ? undefined : item.scope;
    const how = {
      ...defined({ content, revision }),
      ...(current && { current }),
      ...(mine && { mine }),
      ...(dryRun && { dryRun }),
    };
    const approved = await host.approve(id, handOf(caller, by), within, how);
    if ("tool" in approved) return approved.tool;
    if ("call" in approved) return withCause(store, shownCall(approved.call));
    const outcome = approved.proposal;
    const { section, before, after, proposal } = item.proposal as HeldProposal;
    const about = { scope: item.scope, section };
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
    const result =
      "server" in answer
        ? `${toolsText(answer)} offered to ${answer.agent} from the next turn on.`
        : `${callName(answer)}; ${whenItRuns(answer)}.`;
    return [`${colours(process.stdout).green("approved")}: ${result}`];
  },
});

const staleHint = "Approve it with `current` to apply it to the current text, edit it, or reject it.";

/**
 * Prints a decision. When a proposal is approved, the guards check it once more against the current text; only the guard that
 * asked for approval is skipped.
 */
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

/** Name of the person who decided, as it is stored. */
function handOf(caller: Caller, by: string | undefined): string {
  return caller.kind === "user" ? caller.user : by || "operator";
}

/** Prints a stale proposal: both texts, each as a diff to the text the proposal was made against. */
function staleLines(
  { section, refusals, against, diff, since = "", operation = "rewrite" }: ProposalDecision,
  id: string,
): string[] {
  return [
    colours(process.stdout).red("refused"),
    ...refusals.map(({ guard, because }) => `  ${guard}: ${because}`),
    `The proposed change of revision ${against}:`,
    ...labelled(diff, section, [`revision ${against}`, "proposed"]),
    since === "" ? "The current text is the same." : `What has changed since revision ${against}:`,
    ...labelled(since, section, [`revision ${against}`, "current"]),
    "Nothing was changed. The proposal was made against an older revision, so it is not applied as it is.",
    hintsHere(`To ${appliesTo[operation]}: charter approve ${id} --current`),
    hintsHere(`To approve other text: charter approve ${id} --current --content …`),
    hintsHere(`To reject it: charter reject ${id}`),
  ];
}

const appliesTo: Readonly<Record<Operation["kind"], string>> = {
  append: "append it to the current text",
  prepend: "put it before the current text",
  replace_section: "replace the passage in the current text",
  rewrite: "overwrite the current text with it",
  reset: "reset the current text",
  revert: "replace the current text",
};

function labelled(diff: string, section: string, [one, other]: readonly [string, string]): string[] {
  if (diff === "") return [];
  const [, , ...hunks] = diff.split("\n").slice(0, -1);
  return painted([`--- ${section} (${one})`, `+++ ${section} (${other})`, ...hunks]);
}

/** Lines for a list that is empty. */
const nothing: Readonly<Record<(typeof callStatus)["holds"], string>> = {
  waiting: "Nothing is waiting for approval.",
  approved: "Nothing was approved.",
  rejected: "Nothing was rejected.",
  running: "No approved call is running.",
  done: "No approved call is done.",
  failed: "No approved call failed.",
};

const none = { rows: [], more: false };

export const listApprovals = operation({
  name: "approvals.list",
  says: "List proposals, tool calls and tools waiting for approval",
  about: "Oldest first. A user sees their own.",
  route: "GET /approvals",
  command: "approvals",
  examples: [["charter approvals", "oldest first"]],
  who: "person",
  input: {
    agent: agent.says("Only this agent.").optional(),
    user: user.says("Only this user."),
    status: callStatus.says("In which status; only calls are running, done or failed.").usual("waiting"),
    ...page,
  },
  answer: object({
    proposals: list(heldProposal).told(),
    calls: list(heldCall).told(),
    tools: list(heldTool, "For operators only."),
    more,
    total: whole("How many there are of all three kinds together.").told(),
  }).named("ApprovalList", "Proposals, calls and tools; the page applies to each."),
  refuses: [404],
  run: async (context, { agent, user, status, ...asked }) => {
    const { store, caller } = context;
    const { held } = store;
    const scope = await reachOf(context, { agent, user });
    const proposals =
      status === "waiting" || status === "approved" || status === "rejected"
        ? await readPage((one) => held.list({ status, ...scope, ...one }), asked)
        : none;
    const calls = await readPage((one) => store.calls.list({ status, ...scope, ...one }), asked);
    // Tools of MCP servers are listed for operators alone, since they decide which tools an agent has.
    const isOperator = caller.kind === "operator";
    const tools =
      isOperator && scope.user === undefined && (status === "waiting" || status === "rejected")
        ? await readPage((one) => store.pins.list({ ...defined({ agent }), status, ...one }), asked)
        : none;
    const counted = await held.count({ status, ...scope });
    const causes = await held.causes([...proposals.rows.map(causeQuery), ...calls.rows.map(causeQuery)]);
    return {
      proposals: proposals.rows.map((one) => ({ ...one, cause: causes.get(one.id) ?? null })),
      calls: calls.rows.map((one) => ({ ...shownCall(one), cause: causes.get(one.id) ?? null })),
      tools: tools.rows,
      more: proposals.more || calls.more || tools.more,
      total: counted.proposals + counted.calls + (isOperator ? counted.tools : 0),
    };
  },
  lines: ({ proposals, calls, tools }, { status }) => {
    // Each kind has a table of its own, because people decide by other columns.
    const tables = [
      ...(proposals.length === 0 ? [] : [columns(proposalColumns, proposals.map(proposalCells), process.stdout)]),
      ...(calls.length === 0 ? [] : [columns(callColumns, calls.map(callCells), process.stdout)]),
      ...(tools.length === 0 ? [] : [columns(toolColumns, tools.map(toolCells), process.stdout)]),
    ];
    return tables.length === 0
      ? [nothing[status]]
      : tables.flatMap((table, index) => (index === 0 ? table : ["", ...table]));
  },
});

const showApproval = operation({
  name: "approvals.show",
  says: "Get a proposal, tool call or tool waiting for approval",
  route: "GET /approvals/{id}",
  command: "approvals <id>",
  examples: [
    ["charter approvals <id>", "one of them: who asked, why, and what it would change or do"],
    ["charter approve <id>", "apply the change, or let the tool run"],
    ['charter reject <id> --reason "no"', "refuse it"],
  ],
  who: "person",
  input: { id: text("The id of what is held.") },
  answer: either(heldProposal, heldCall, heldTool),
  statuses: { 200: "A proposal, a call, or a tool." },
  run: async (context, { id }) => heldAnswer(context.store, await heldFor(context, id)),
  lines: (held) => {
    if ("server" in held) return aboutTool(held);
    const lines = "tool" in held ? aboutCall(held) : aboutProposal(held);
    return held.status === "waiting" ? [...lines, ...causeLines(held.cause)] : lines;
  },
});

export const operations = [listApprovals, showApproval, approve, reject];
