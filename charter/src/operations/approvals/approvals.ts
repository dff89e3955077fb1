import { shownCall } from "../../agent/held-question.ts";
import { defined } from "../../prompt/argument.ts";
import { causeQuery } from "../../store/amendments/cause.ts";
import { readPage } from "../../store/home/query.ts";
import { agent, more, page, user } from "../common-fields.ts";
import { either, list, object, text, whole } from "../field.ts";
import { operation } from "../operation.ts";
import { columns } from "../print/columns.ts";
import { reachOf } from "../scope-for.ts";
import { callStatus, heldCall, heldProposal, heldTool } from "./approval-fields.ts";
import { approve, reject } from "./decide.ts";
import { heldAnswer, heldFor } from "./held.ts";
import { aboutCall, callCells, callColumns } from "./held-call.ts";
import { aboutProposal, causeLines, proposalCells, proposalColumns } from "./held-proposal.ts";
import { aboutTool, toolCells, toolColumns } from "./held-tool.ts";

/** What is said where there is none in a status. */
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
    const whose = await reachOf(context, { agent, user });
    const proposals =
      status === "waiting" || status === "approved" || status === "rejected"
        ? await readPage((one) => held.list({ status, ...whose, ...one }), asked)
        : none;
    const calls = await readPage((one) => store.calls.list({ status, ...whose, ...one }), asked);
    // What an agent's tools are, is the operator's to decide.
    const isOperator = caller.kind === "operator";
    const tools =
      isOperator && whose.user === undefined && (status === "waiting" || status === "rejected")
        ? await readPage((one) => store.pins.list({ ...defined({ agent }), status, ...one }), asked)
        : none;
    const counted = await held.count({ status, ...whose });
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
    // Each kind in a table of its own: people decide about them by other things.
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
