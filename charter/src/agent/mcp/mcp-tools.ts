import { badArgument, checkNames, isObject } from "../../prompt/argument.ts";
import { createBoundedMap } from "../../prompt/bounded-map.ts";
import type { Notice } from "../../prompt/notice.ts";
import { listed as namesIn } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import type { ToolPin } from "../../store/tool-pins.ts";
import type { Tool } from "../tool.ts";
import { type McpEntry, serverName } from "./mcp-entry.ts";
import { createMcpServer, type McpServer, type ServerListing } from "./mcp-server.ts";
import { offeredTool } from "./mcp-tool.ts";
import { screenTool } from "./screen-tool.ts";
import { digestOf, offeredName, type ServerTool } from "./server-tool.ts";

/** What `createMcpTools` is given. */
export type McpToolsOptions = {
  /** Where it is kept what each agent's tools are offered as. */
  readonly store: Store;
  /** The servers, by name. */
  readonly mcp: Readonly<Record<string, McpEntry>>;
  /** Where PATH, HOME and the variables are found that servers are handed; `process.env`, unless given. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
};

/** The tools of MCP servers that an agent has now, and what its operator should know of them. */
export type McpToolset = { readonly tools: readonly Tool[]; readonly notices: readonly Notice[] };

/** Which tools of which servers, beside which others: `ours` are the names of the agent's own. */
export type McpToolsQuery = {
  readonly agent: string;
  readonly servers: readonly string[];
  readonly ours?: readonly string[] | undefined;
};

/** A server as an agent has it, and what of it is offered or held. */
export type McpServerState = {
  readonly server: string;
  /** Why it cannot be asked, if that is so. */
  readonly unavailable?: string;
  readonly pins: readonly ToolPin[];
  /** Tools that cannot be offered, and why. */
  readonly unusable: readonly { readonly tool: string; readonly because: string }[];
};

/** Connections to MCP servers, and their tools as agents have them. */
export type McpTools = {
  readonly servers: readonly string[];
  readonly toolsFor: (query: McpToolsQuery) => Promise<McpToolset>;
  /** The same, to be looked at. */
  readonly stateFor: (query: McpToolsQuery) => Promise<readonly McpServerState[]>;
  /** Ends the connections, and the processes that were started for them. */
  readonly close: () => Promise<void>;
};

/**
 * Tools of MCP servers: `createAgent({ tools: (await mcp.toolsFor({ agent: "ada", servers: ["files"] })).tools })`. A
 * server is connected to when it is first needed, once for all agents. What its tools say of themselves is screened and
 * pinned; what changes is held for a person, and not offered meanwhile.
 */
export function createMcpTools(options: McpToolsOptions): McpTools {
  checkNames<McpToolsOptions>("createMcpTools", options, ["store", "mcp", "env"]);
  const { store, mcp, env = process.env } = options;
  if (!isObject(mcp) || !Object.keys(mcp).every((name) => serverName.test(name)))
    throw badArgument(
      "The MCP servers that createMcpTools was given are not named by 1 to 24 small letters, digits and “-”.",
      'Give { files: { command: ["npx", "@modelcontextprotocol/server-filesystem", "."] } }.',
    );
  const servers = new Map<string, McpServer>();
  const serverOf = (name: string): McpServer => {
    const known = servers.get(name) ?? createMcpServer({ entry: entryOf(name) as McpEntry, env, now: Date.now });
    servers.set(name, known);
    return known;
  };
  const entryOf = (name: string) => (Object.hasOwn(mcp, name) ? mcp[name] : undefined);
  const made = createBoundedMap<string, Tool>(2000);
  /** The same object as long as it is offered as the same words: what is kept by its identity is not made anew. */
  const toolFor = (pin: ToolPin): Tool => {
    const { server, tool, digest, definition } = pin;
    const key = JSON.stringify([server, tool, digest]);
    const known =
      made.get(key) ??
      offeredTool(JSON.parse(definition as string) as ServerTool, {
        ...{ server, digest: digest as string, entry: entryOf(server) as McpEntry },
        call: serverOf(server).call,
      });
    made.set(key, known);
    return known;
  };
  const stateFor = async ({ agent, servers: named, ours = [] }: McpToolsQuery) => {
    const there = named.filter((name) => entryOf(name) !== undefined);
    const listings = await Promise.all(there.map(async (name) => [name, await serverOf(name).list()] as const));
    const states: McpServerState[] = [];
    for (const [server, listing] of listings) {
      const others = [...ours, ...listings.flatMap(([name, one]) => (name === server ? [] : offeredNames(name, one)))];
      states.push(await stateOf(store, { agent, server, listing, others, first: entryOf(server)?.pin }));
    }
    return states;
  };
  return {
    servers: Object.keys(mcp),
    stateFor,
    toolsFor: async (query) => {
      const { servers: named, ours = [] } = query;
      const notices: Notice[] = named.flatMap((name) => (entryOf(name) ? [] : [notThere(name, Object.keys(mcp))]));
      const tools: Tool[] = [];
      const taken = new Set(ours);
      for (const state of await stateFor(query)) {
        const { server, pins, unusable, unavailable } = state;
        const offered = pins.filter(({ status }) => status === "pinned");
        if (unavailable !== undefined) notices.push(notAvailable(server, unavailable, offered.length));
        for (const { tool, because } of unusable) notices.push(notOffered(server, tool, because));
        const held = Map.groupBy(pins, ({ id }) => id);
        for (const [{ tool, status }, ...others] of [...held.values()] as [ToolPin, ...ToolPin[]][])
          if (status !== "pinned") notices.push(notOffered(server, tool, heldWords[status], others.length));
        for (const pin of offered) {
          const name = offeredName(server, pin.tool);
          if (taken.has(name))
            notices.push(notOffered(server, pin.tool, `another tool of the agent is called “${name}”`));
          else if (name.length > 64)
            notices.push(notOffered(server, pin.tool, `“${name}” is longer than 64 characters`));
          else tools.push(toolFor(pin));
          taken.add(name);
        }
      }
      return { tools, notices };
    },
    close: async () => {
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}

type StateQuery = {
  readonly agent: string;
  readonly server: string;
  readonly listing: ServerListing;
  readonly others: readonly string[];
  readonly first: McpEntry["pin"];
};

/** What a server lists now, held against what stands. Of one that cannot be asked, what stands is offered. */
async function stateOf(store: Store, { agent, server, listing, others, first }: StateQuery): Promise<McpServerState> {
  if (listing.status === "unavailable")
    return { server, unavailable: listing.because, pins: await store.pins.of(agent, server), unusable: [] };
  const seen = listing.tools.map((tool) => ({
    tool: tool.name,
    digest: digestOf(tool),
    definition: JSON.stringify(tool),
    reasons: screenTool(tool, others),
  }));
  const names = new Set(seen.map(({ tool }) => tool));
  const pins = (await store.pins.see(agent, server, seen, { first })).filter(({ tool }) => names.has(tool));
  return { server, pins, unusable: listing.unusable };
}

function offeredNames(server: string, listing: ServerListing): string[] {
  return listing.status === "unavailable" ? [] : listing.tools.map(({ name }) => offeredName(server, name));
}

const heldWords = {
  waiting: "a person has to say yes first: see `charter approvals`",
  rejected: "a person said no to what its server says now",
};

function notThere(name: string, names: readonly string[]): Notice {
  const known = names.length === 0 ? "There is none." : `There is ${namesIn(names)}.`;
  return { code: "mcp-unknown", message: `“${name}” is no MCP server in charter.config.ts here. ${known}` };
}

function notAvailable(server: string, because: string, offered: number): Notice {
  const what = offered === 0 ? "Its tools are not known, and none is offered." : "Calls of its tools fail.";
  return { code: "mcp-unavailable", message: `The MCP server “${server}” is unavailable: ${because}. ${what}` };
}

/** `others` were first seen with it, and are decided with it. */
function notOffered(server: string, tool: string, because: string, others = 0): Notice {
  const name = `The tool “${tool.slice(0, 64)}” of the MCP server “${server}”`;
  const message =
    others === 0
      ? `${name} is not offered: ${because}.`
      : `${name} and ${others} more of its tools are not offered: ${because}.`;
  return { code: "mcp-tool-held", message };
}
