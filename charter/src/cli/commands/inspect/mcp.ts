import type { McpServerState } from "../../../agent/mcp/mcp-tools.ts";
import { offeredName } from "../../../agent/mcp/server-tool.ts";
import { preview } from "../../../prompt/character.ts";
import { Problem } from "../../../prompt/problem.ts";
import { columns, oneLine } from "../../print/columns.ts";
import { hostOf } from "../../shared/inbox-agent.ts";
import { noMoreWords, parseOptions } from "../../shared/options.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

const options = { ...storeOptions, agent: { type: "string", short: "a" } } as const;

/** The MCP servers of an agent, asked now, and what of their tools it is offered. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("mcp", args, options);
  noMoreWords("mcp", positionals);
  return withStore(values, async (store) => {
    const name = values.agent ?? (await onlyAgent((await store.agents.list()).map((one) => one.name)));
    const host = await hostOf(store);
    try {
      const servers = await host.mcpServers(name);
      process.stdout.write(values.json ? `${JSON.stringify({ agent: name, servers })}\n` : `${table(name, servers)}\n`);
      return servers.some(({ unavailable }) => unavailable !== undefined) ? 1 : 0;
    } finally {
      await host.close(0);
    }
  });
}

async function onlyAgent(names: readonly string[]): Promise<string> {
  if (names.length === 1) return names[0] as string;
  throw new Problem(
    "usage",
    "There are several agents, and none was named.",
    "Name the agent: charter mcp --agent ada.",
  );
}

function table(agent: string, servers: readonly McpServerState[]): string {
  const rows = servers.flatMap(rowsOf);
  if (rows.length > 0) return columns(["server", "tool", "offered", "description"], rows, process.stdout).join("\n");
  return servers.length === 0 ? `${agent} names no MCP server that is known here.` : "They have no tools.";
}

const words = { pinned: "yes", waiting: "no: it waits for approval", rejected: "no: it was rejected" } as const;

function rowsOf({ server, unavailable, pins, unusable }: McpServerState): string[][] {
  return [
    ...(unavailable === undefined ? [] : [[server, "–", "unavailable", unavailable]]),
    ...pins.map(({ tool, status, definition, nextDefinition }) => [
      server,
      offeredName(server, tool),
      words[status],
      preview(oneLine(descriptionIn(nextDefinition ?? definition)), 80),
    ]),
    ...unusable.map(({ tool, because }) => [server, preview(oneLine(tool), 64), "no", because]),
  ];
}

function descriptionIn(definition: string | null): string {
  return String((JSON.parse(definition ?? "{}") as { readonly description?: unknown }).description ?? "–");
}
