import type { Declaration } from "../agent/declaration.ts";
import type { McpEntry } from "../agent/mcp/mcp-entry.ts";
import type { McpServers } from "../agent/mcp/mcp-server.ts";
import type { McpServerState, McpTools, McpToolset } from "../agent/mcp/mcp-tools.ts";
import type { Tool } from "../agent/tool.ts";
import { chosenTools } from "../agent/toolset.ts";
import { listed, Problem, rethrowUnlessProblem } from "../prompt/problem.ts";
import type { Notice } from "../prompt/reading.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { Store } from "../store/store.ts";

/** MCP servers by name; or a function that returns them, called when an agent first names one. */
export type HostMcp =
  | Readonly<Record<string, McpEntry>>
  | (() => Promise<Readonly<Record<string, McpEntry>> | undefined>);

/** Places that MCP servers are known from. */
type McpPlaces = {
  readonly mcp?: HostMcp | undefined;
  readonly env?: Environment | (() => Promise<Environment>) | undefined;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a resource of a configured server. */
export type ReadResource = McpServers["read"];

/** Connections to the configured servers. The configuration is read, and code is loaded, when the first is needed. */
export function createMcpConnections({ mcp, env }: McpPlaces) {
  let opened: Promise<McpServers> | undefined;
  const open = (): Promise<McpServers> => {
    opened ??= (async () => {
      const { createMcpServers } = await import("../agent/mcp/mcp-server.ts");
      const servers = (typeof mcp === "function" ? await mcp() : mcp) ?? {};
      return createMcpServers(servers, typeof env === "function" ? await env() : env);
    })();
    // A configuration that is not trusted yet may be by the next turn, so the failure is not cached.
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
  const read: ReadResource = async (...asked) => (await open()).read(...asked);
  return { open, read, close: async () => (await opened?.catch(() => undefined))?.close() };
}

/** Tools of the MCP servers that agents' settings name. Nothing is loaded or started before it is needed. */
export type AgentMcp = {
  /** Adds those tools to a declaration; returns it as it is if the agent names no server. */
  readonly withTools: <Declared extends Declaration>(agent: AgentRecord, declaration: Declared) => Promise<Declared>;
  readonly stateFor: (agent: AgentRecord, declaration: Declaration) => Promise<readonly McpServerState[]>;
  /** Names of the configured servers. */
  readonly names: () => Promise<readonly string[]>;
  readonly read: ReadResource;
  readonly close: () => Promise<void>;
};

export function createAgentMcp({ store, ...places }: McpPlaces & { readonly store: Store }): AgentMcp {
  const { open: openServers, read, close } = createMcpConnections(places);
  const made = new WeakMap<McpServers, McpTools>();
  const open = async (): Promise<McpTools> => {
    const servers = await openServers();
    const { mcpToolsOf } = await import("../agent/mcp/mcp-tools.ts");
    const tools = made.get(servers) ?? mcpToolsOf(store, servers);
    made.set(servers, tools);
    return tools;
  };
  const known = new WeakMap<Declaration, { readonly toolset: McpToolset; readonly made: Declaration }>();
  const queryFor = async (agent: AgentRecord, declaration: Declaration) => ({
    agent: agent.name,
    servers: serversIn(agent.settings),
    ours: namesOf((await declaration.tools?.()) ?? []),
  });
  return {
    withTools: async (agent, declaration) => {
      if (serversIn(agent.settings).length === 0) return declaration;
      const toolset = await toolsetOf(async () => (await open()).toolsFor(await queryFor(agent, declaration)));
      const before = known.get(declaration);
      if (before && isSame(before.toolset, toolset)) return before.made as typeof declaration;
      const extended: typeof declaration = {
        ...declaration,
        tools: async (place) => [
          ...((await declaration.tools?.(place)) ?? []),
          ...chosenTools(declaration, toolset.tools),
        ],
        toolNotices: [...(declaration.toolNotices ?? []), ...toolset.notices],
      };
      known.set(declaration, { toolset, made: extended });
      return extended;
    },
    stateFor: async (agent, declaration) => (await open()).stateFor(await queryFor(agent, declaration)),
    names: async () => (await openServers()).names,
    read,
    close,
  };
}

/** Turns an unreachable server into a notice: the turn goes on with the agent's own tools. */
async function toolsetOf(ask: () => Promise<McpToolset>): Promise<McpToolset> {
  try {
    return await ask();
  } catch (error) {
    rethrowUnlessProblem(error);
    const notice: Notice = {
      code: "mcp-unavailable",
      message: `No MCP server can be used. ${error.message} ${error.hint}`,
    };
    return { tools: [], notices: [notice] };
  }
}

/** Refuses settings that name a server that is not configured. */
export async function checkServers(settings: Settings, names: () => Promise<readonly string[]>): Promise<void> {
  const serverNames = serversIn(settings);
  if (serverNames.length === 0) return;
  const servers = await names();
  const unknown = serverNames.filter((name) => !servers.includes(name));
  if (unknown.length === 0) return;
  throw new Problem(
    "bad-settings",
    `The setting “mcp” names ${listed(unknown)}, which is no MCP server in charter.config.ts.`,
    servers.length === 0 ? "Describe it there first: docs/mcp.md." : `There is ${listed(servers)}.`,
  );
}

type Settings = Readonly<Record<string, unknown>>;

/** Servers that an agent's settings name, each once. */
export function serversIn({ mcp }: Settings): string[] {
  return Array.isArray(mcp) ? [...new Set(mcp.filter((name) => typeof name === "string"))] : [];
}

function namesOf(tools: readonly Tool[]): string[] {
  return tools.map(({ name }) => name);
}

function isSame(one: McpToolset, other: McpToolset): boolean {
  return (
    one.tools.length === other.tools.length &&
    one.tools.every((tool, index) => tool === other.tools[index]) &&
    JSON.stringify(one.notices) === JSON.stringify(other.notices)
  );
}
