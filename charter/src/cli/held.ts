import { Problem } from "../prompt/problem.ts";
import type { Held } from "../store/held-row.ts";
import { columns, oneLine, pairs, timeText } from "./columns.ts";
import { noMoreWords, parseOptions } from "./options.ts";
import { morePages, pageOptions, pageValues, readPage } from "./page.ts";
import { storeOptions, withStore } from "./store.ts";
import { changes } from "./verdict.ts";

const options = {
  ...storeOptions,
  ...pageOptions,
  agent: { type: "string", short: "a" },
  status: { type: "string" },
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("held", args, options);
  const [id, ...others] = positionals;
  noMoreWords("held", others);
  return id === undefined ? list(values) : show(id, values);
}

async function list(values: Values): Promise<number> {
  const page = pageValues(values);
  const status = statusOf(values.status);
  return withStore(values, async (store) => {
    const { agent } = values;
    if (agent !== undefined) await store.agents.get(agent);
    const about = { status, ...(agent === undefined ? {} : { agent }) };
    const { rows, more } = await readPage((asked) => store.held.list({ ...about, ...asked }), page);
    if (values.json) process.stdout.write(`${JSON.stringify({ held: rows, more })}\n`);
    else if (rows.length === 0)
      process.stdout.write(status === "waiting" ? "Nothing waits for a person.\n" : `Nothing was ${status}.\n`);
    else {
      const names = ["id", "time (UTC)", "agent", "user", "section", "operation", "by", "reason"];
      const lines = columns(names, rows.map(cells), process.stdout);
      process.stdout.write(`${[...lines, ...morePages(more, page)].join("\n")}\n`);
    }
    return 0;
  });
}

function cells({ id, at, scope, section, proposal }: Held): string[] {
  const { operation, actor, reason = "" } = proposal;
  return [id, timeText(at), scope.agent, scope.user ?? "–", section, operation.kind, actor, reason];
}

/** One proposal whole: what a person needs to decide. */
async function show(id: string, values: Values): Promise<number> {
  return withStore(values, async (store) => {
    const held = await store.held.get(id);
    process.stdout.write(values.json ? `${JSON.stringify(held)}\n` : `${about(held).join("\n")}\n`);
    return 0;
  });
}

function about(held: Held): string[] {
  const { id, scope, section, proposal, refusals, status, decidedBy, decidedAt, because } = held;
  const decided = `${status} by ${decidedBy}, ${timeText(decidedAt ?? "")} UTC${because ? `: ${because}` : ""}`;
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
    ...(status === "waiting" ? [`A person decides: charter approve ${id}, or charter reject ${id}`] : []),
  ];
}

function statusOf(status = "waiting"): Held["status"] {
  if (status === "waiting" || status === "approved" || status === "rejected") return status;
  throw new Problem("usage", `There is no status “${status}”.`, "It is waiting, approved or rejected.");
}
