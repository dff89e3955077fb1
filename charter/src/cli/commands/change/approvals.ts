import { findHeld } from "../../../host/decide.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { HeldProposal } from "../../../store/amendments/held-proposal-row.ts";
import type { HeldCall } from "../../../store/turns/held-call-row.ts";
import { columns, oneLine, pairs, timeText } from "../../print/columns.ts";
import { hintsHere } from "../../print/command-name.ts";
import { aboutCall, callCells, callColumns } from "../../print/held-call.ts";
import { aboutTool, toolCells, toolColumns } from "../../print/held-tool.ts";
import { changes } from "../../print/verdict.ts";
import { noMoreWords, parseOptions } from "../../shared/options.ts";
import { morePages, pageOptions, pageValues, readPage } from "../../shared/page.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

const options = {
  ...storeOptions,
  ...pageOptions,
  agent: { type: "string", short: "a" },
  status: { type: "string" },
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("approvals", args, options);
  const [id, ...others] = positionals;
  noMoreWords("approvals", others);
  return id === undefined ? list(values) : show(id, values);
}

/** Proposals, calls and tools, each in a table of its own: people decide about them by other things. */
async function list(values: Values): Promise<number> {
  const page = pageValues(values);
  const status = statusOf(values.status);
  return withStore(values, async (store) => {
    const { agent } = values;
    if (agent !== undefined) await store.agents.get(agent);
    const whose = agent === undefined ? {} : { agent };
    const proposals = isProposals(status)
      ? await readPage((asked) => store.held.list({ status, ...whose, ...asked }), page)
      : { rows: [], more: false };
    const calls = await readPage((asked) => store.calls.list({ status, ...whose, ...asked }), page);
    const tools =
      status === "waiting" || status === "rejected"
        ? await readPage((asked) => store.pins.list({ status, ...whose, ...asked }), page)
        : { rows: [], more: false };
    const more = proposals.more || calls.more || tools.more;
    if (values.json)
      process.stdout.write(
        `${JSON.stringify({ proposals: proposals.rows, calls: calls.rows, tools: tools.rows, more })}\n`,
      );
    else if (proposals.rows.length + calls.rows.length + tools.rows.length === 0)
      process.stdout.write(`${nothing[status]}\n`);
    else {
      const names = ["id", "time (UTC)", "agent", "user", "section", "operation", "by", "reason"];
      const tables = [
        ...(proposals.rows.length === 0 ? [] : [columns(names, proposals.rows.map(cells), process.stdout)]),
        ...(calls.rows.length === 0 ? [] : [columns(callColumns, calls.rows.map(callCells), process.stdout)]),
        ...(tools.rows.length === 0 ? [] : [columns(toolColumns, tools.rows.map(toolCells), process.stdout)]),
      ];
      const lines = tables.flatMap((table, index) => (index === 0 ? table : ["", ...table]));
      process.stdout.write(`${[...lines, ...morePages(more, page)].join("\n")}\n`);
    }
    return 0;
  });
}

function cells({ id, at, scope, section, proposal }: HeldProposal): string[] {
  const { operation, actor, reason = "" } = proposal;
  return [id, timeText(at), scope.agent, scope.user ?? "–", section, operation.kind, actor, reason];
}

/** One of them whole: what a person needs to decide. */
async function show(id: string, values: Values): Promise<number> {
  return withStore(values, async (store) => {
    const { proposal, call, tool } = await findHeld(store, id);
    const lines = call ? aboutCall(call) : tool ? aboutTool(tool) : about(proposal);
    process.stdout.write(values.json ? `${JSON.stringify(call ?? tool ?? proposal)}\n` : `${lines.join("\n")}\n`);
    return 0;
  });
}

function about(held: HeldProposal): string[] {
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

const nothing: Readonly<Record<HeldCall["status"], string>> = {
  waiting: "Nothing is waiting for approval.",
  approved: "Nothing was approved.",
  rejected: "Nothing was rejected.",
  running: "No approved call is running.",
  done: "No approved call is done.",
  failed: "No approved call failed.",
};

function isProposals(status: HeldCall["status"]): status is HeldProposal["status"] {
  return status === "waiting" || status === "approved" || status === "rejected";
}

function statusOf(status = "waiting"): HeldCall["status"] {
  if (Object.hasOwn(nothing, status)) return status as HeldCall["status"];
  throw new Problem(
    "usage",
    `There is no status “${status}”.`,
    "It is waiting, approved or rejected; of calls also running, done or failed.",
  );
}
