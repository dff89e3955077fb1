import { offeredName } from "../agent/mcp/mcp-entry.ts";
import { preview } from "../prompt/character.ts";
import { heldTool } from "./approvals/held.ts";
import { agent, flag, list, object, text } from "./field.ts";
import { operation } from "./operation.ts";
import { columns, oneLine } from "./print/columns.ts";

const server = object({
  server: text("Its name in the configuration.").example("files"),
  unavailable: text("Why it cannot be asked. Its pinned tools are still offered, and calls of them fail.").optional(),
  pins: list(heldTool, "Its tools; only those that are `pinned` are offered."),
  unusable: list(object({ tool: text(), because: text() }), "Tools that cannot be offered."),
}).named("McpServer", "An MCP server that an agent's settings name.");

const listServers = operation({
  name: "mcp.list",
  says: "List an agent's MCP servers and their tools",
  about: "The servers are asked now. Tools that need approval are listed under `/approvals`.",
  route: "GET /agents/{agent}/mcp",
  command: "mcp [list]",
  examples: ["charter mcp --agent ada", "charter mcp --agent ada --json | jq '.servers[].pins[].status'"],
  notes:
    "The servers that the agent's setting “mcp” names are asked, as charter.config.ts here describes them. A tool that is new is offered from now on, unless the screen finds something in it; one that changed waits: see charter approvals.\nExit code 1: a server is unavailable.",
  who: "operator",
  input: { agent },
  answer: object({ agent: text(), servers: list(server) }).named("McpServers"),
  run: async ({ store, host }, { agent }) => {
    const { name } = await store.agents.get(agent);
    return { agent: name, servers: await (await host()).mcpServers(name) };
  },
  lines: ({ agent, servers }) => {
    const rows = servers.flatMap(rowsOf);
    const none = servers.length === 0 ? `${agent} names no MCP server that is known here.` : "They have no tools.";
    return {
      out: rows.length === 0 ? [none] : columns(["server", "tool", "offered", "description"], rows, process.stdout),
      code: servers.some(({ unavailable }) => unavailable !== undefined) ? 1 : 0,
    };
  },
});

const serve = operation({
  name: "mcp.serve",
  says: "Serve an agent's tools over MCP, on standard input and output",
  about:
    "For a model elsewhere, about one agent and one user. What it proposes is checked as what the agent proposes itself, and waits for a person: see charter approvals.",
  command: "mcp serve",
  examples: [["charter mcp serve --agent ada --user bo", "as an MCP client is told to start it"]],
  notes: "A running service has the same tools at /mcp, for whoever has a token: docs/mcp.md",
  who: "operator",
  input: {
    agent: agent.says("The agent; not needed where there is one.").optional(),
    user: text("The user it is about (default: whoever is at this terminal).").option("id", "u").optional(),
    trusted: flag("The model reads nothing that others wrote: what it proposes does not wait for a person.").optional(),
  },
  answer: object({}),
});

const words = { pinned: "yes", waiting: "no: it waits for approval", rejected: "no: it was rejected" } as const;

function rowsOf({ server: name, unavailable, pins, unusable }: (typeof server)["holds"]): string[][] {
  return [
    ...(unavailable === undefined ? [] : [[name, "–", "unavailable", unavailable]]),
    ...pins.map(({ tool, status, definition, nextDefinition }) => [
      name,
      offeredName(name, tool),
      words[status],
      preview(oneLine(descriptionIn(nextDefinition ?? definition)), 80),
    ]),
    ...unusable.map(({ tool, because }) => [name, preview(oneLine(tool), 64), "no", because]),
  ];
}

function descriptionIn(definition: string | null): string {
  return String((JSON.parse(definition ?? "{}") as { readonly description?: unknown }).description ?? "–");
}

export const operations = [listServers, serve];
