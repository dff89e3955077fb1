import { shownCall } from "../../../agent/turn/asking/call-question.ts";
import { findHeld } from "../../../host/decide.ts";
import { quoted } from "../../../prompt/fence.ts";
import { Problem } from "../../../prompt/problem.ts";
import { type Cause, causeQuery } from "../../../store/amendments/cause.ts";
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
    if (values.json) {
      const causes = await store.held.causes([...proposals.rows, ...calls.rows].map(causeQuery));
      const withCause = <One extends HeldProposal | HeldCall>(held: One) => ({
        ...held,
        cause: causes.get(held.id) ?? null,
      });
      const counted = await store.held.count({ status, ...whose });
      const total = counted.proposals + counted.calls + counted.tools;
      const listed = {
        proposals: proposals.rows.map(withCause),
        calls: calls.rows.map(shownCall).map(withCause),
        tools: tools.rows,
      };
      process.stdout.write(`${JSON.stringify({ ...listed, more, total })}\n`);
    } else if (proposals.rows.length + calls.rows.length + tools.rows.length === 0)
      process.stdout.write(`${nothing[status]}\n`);
    else {
      const names = ["id", "time (UTC)", "agent", "user", "section", "operation", "by", "stale", "reason"];
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

function cells({ id, at, scope, section, proposal, stale }: HeldProposal): string[] {
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

/** One of them whole: what a person needs to decide. */
async function show(id: string, values: Values): Promise<number> {
  return withStore(values, async (store) => {
    const { proposal, call, tool } = await findHeld(store, id);
    const held = call ?? proposal;
    const cause = held && ((await store.held.causes([causeQuery(held)])).get(id) ?? null);
    const lines = call ? aboutCall(call) : tool ? aboutTool(tool) : about(proposal);
    const json = () => JSON.stringify(tool ?? { ...(call ? shownCall(call) : proposal), cause });
    process.stdout.write(
      values.json
        ? `${json()}\n`
        : `${[...lines, ...(held?.status === "waiting" ? causeLines(cause) : [])].join("\n")}\n`,
    );
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

function staleText({ proposal, standing }: HeldProposal): string {
  const now = standing ? `is at revision ${standing.revision}` : "has changed";
  return `yes: the section ${now}, and this was made against revision ${proposal.revision ?? 0}`;
}

const cameFrom: Readonly<Record<Cause["from"], string>> = {
  user: "the user's own input",
  message: "untrusted text in the message",
  file: "files that came with the input",
  tool: "untrusted text from a tool",
  conversation: "untrusted text earlier in the conversation",
  other: "untrusted text in the prompt",
};

/** What led to it, each on one line: nothing in it can pass for a line of ours. */
function causeLines(cause: Cause | null | undefined): string[] {
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
