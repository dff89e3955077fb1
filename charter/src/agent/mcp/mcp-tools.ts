import { findOverride } from "../../amend/override/override.ts";
import { badArgument, checkNames, isObject, isRecord } from "../../prompt/argument.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import { invisible, preview } from "../../prompt/character.ts";
import { placesIn } from "../../prompt/forgery.ts";
import { listed as namesIn } from "../../prompt/problem.ts";
import type { Notice } from "../../prompt/reading.ts";
import { isWhole, mendedNotice } from "../../prompt/sound.ts";
import { nothingForbidden } from "../../prompt/structure.ts";
import type { Store } from "../../store/store.ts";
import type { ToolPin } from "../../store/tool-pins.ts";
import type { StandardSchema } from "../schema.ts";
import { defineTool, type Tool } from "../tool.ts";
import { digestOf, type McpEntry, offeredName, type ServerTool, serverName, visible, wordsOf } from "./mcp-entry.ts";
import { createMcpServers, type McpServer, type McpServers, type ServerListing } from "./mcp-server.ts";

/** Options of `createMcpTools`. */
export type McpToolsOptions = {
  /** The store that keeps the form in which each agent's tools are offered. */
  readonly store: Store;
  /** The servers, by name. */
  readonly mcp: Readonly<Record<string, McpEntry>>;
  /** The environment from which servers get PATH, HOME and the variables that are handed on; `process.env`, unless given. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
};

/** The tools of MCP servers that an agent has now, and notices about them for its operator. */
export type McpToolset = { readonly tools: readonly Tool[]; readonly notices: readonly Notice[] };

/** The servers whose tools an agent wants. `ours`: the names of the agent's own tools. */
export type McpToolsQuery = {
  readonly agent: string;
  readonly servers: readonly string[];
  readonly ours?: readonly string[] | undefined;
};

/** A server as an agent has it, and the tools of it that are offered or held. */
export type McpServerState = {
  readonly server: string;
  /** The reason it cannot be reached, if so. */
  readonly unavailable?: string;
  readonly pins: readonly ToolPin[];
  /** Tools that cannot be offered, and why. */
  readonly unusable: readonly { readonly tool: string; readonly because: string }[];
};

/** Connections to MCP servers, and their tools as agents have them. */
export type McpTools = {
  readonly servers: readonly string[];
  readonly toolsFor: (query: McpToolsQuery) => Promise<McpToolset>;
  /** Returns the same as state, for pages that show it. */
  readonly stateFor: (query: McpToolsQuery) => Promise<readonly McpServerState[]>;
  /** Ends the connections, and the processes that were started for them. */
  readonly close: () => Promise<void>;
};

/**
 * Makes the tools of MCP servers: `createAgent({ tools: (await mcp.toolsFor({ agent: "ada", servers: ["files"] })).tools })`. A
 * server is connected to when it is first needed, once for all agents. Descriptions of tools are screened and pinned; one that
 * changes is held for a person, and its tool is not offered meanwhile.
 */
export function createMcpTools(options: McpToolsOptions): McpTools {
  checkNames<McpToolsOptions>("createMcpTools", options, ["store", "mcp", "env"]);
  const { store, mcp, env } = options;
  if (!isObject(mcp) || !Object.keys(mcp).every((name) => serverName.test(name)))
    throw badArgument(
      "The MCP servers that createMcpTools was given are not named by 1 to 24 small letters, digits and “-”.",
      'Give { files: { command: ["npx", "@modelcontextprotocol/server-filesystem", "."] } }.',
    );
  return mcpToolsOf(store, createMcpServers(mcp, env));
}

/** Makes the tools of servers that are shared with others. */
export function mcpToolsOf(store: Store, { names, entryOf, of: serverOf, close }: McpServers): McpTools {
  const made = createBoundedMap<string, McpToolset>(2000);
  /** Returns the same object as long as the same words are offered, so that caches by identity stay valid. */
  const toolFor = (pin: ToolPin): McpToolset => {
    const { server, tool, digest, definition } = pin;
    const key = JSON.stringify([server, tool, digest]);
    const known = made.get(key);
    if (known) return known;
    const given = JSON.parse(definition as string) as ServerTool;
    const about = { server, digest: digest as string, entry: entryOf(server) as McpEntry, call: serverOf(server).call };
    const what = `What the tool “${tool}” of the MCP server “${server}” says of itself`;
    const notices = wordsOf(given).every(isWhole) ? [] : [mendedNotice(what)];
    const offered = { tools: [offeredTool(given, about)], notices };
    made.set(key, offered);
    return offered;
  };
  const stateFor = async ({ agent, servers: wanted, ours = [] }: McpToolsQuery) => {
    const configured = wanted.filter((name) => entryOf(name) !== undefined);
    const listings = await Promise.all(configured.map(async (name) => [name, await serverOf(name).list()] as const));
    const states: McpServerState[] = [];
    for (const [server, listing] of listings) {
      const others = [...ours, ...listings.flatMap(([name, one]) => (name === server ? [] : offeredNames(name, one)))];
      states.push(await stateOf(store, { agent, server, listing, others, first: entryOf(server)?.pin }));
    }
    return states;
  };
  return {
    servers: names,
    stateFor,
    toolsFor: async (query) => {
      const { servers: wanted, ours = [] } = query;
      const notices: Notice[] = wanted.flatMap((name) => (entryOf(name) ? [] : [notThere(name, names)]));
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
          else {
            const one = toolFor(pin);
            tools.push(...one.tools);
            notices.push(...one.notices);
          }
          taken.add(name);
        }
      }
      return { tools, notices };
    },
    close,
  };
}

type StateQuery = {
  readonly agent: string;
  readonly server: string;
  readonly listing: ServerListing;
  readonly others: readonly string[];
  readonly first: McpEntry["pin"];
};

/** Compares a server's list with the pinned tools. If the server cannot be reached, the pinned tools are offered. */
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
  const consequence = offered === 0 ? "Its tools are not known, and none is offered." : "Calls of its tools fail.";
  return { code: "mcp-unavailable", message: `The MCP server “${server}” is unavailable: ${because}. ${consequence}` };
}

/** Makes the notice of a tool that is not offered. `others` were first seen with it, and are decided with it. */
function notOffered(server: string, tool: string, because: string, others = 0): Notice {
  const name = `The tool “${tool.slice(0, 64)}” of the MCP server “${server}”`;
  const message =
    others === 0
      ? `${name} is not offered: ${because}.`
      : `${name} and ${others} more of its tools are not offered: ${because}.`;
  return { code: "mcp-tool-held", message };
}

type OfferedToolOptions = {
  readonly server: string;
  readonly entry: McpEntry;
  /** The digest of the tool as it is offered. */
  readonly digest: string;
  readonly call: McpServer["call"];
};

/** Accepts any object: the server checks whether the arguments fit its schema. */
const anyObject: StandardSchema = {
  "~standard": {
    version: 1,
    vendor: "charter",
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: "They are no object." }] }),
  },
};

/** Makes a tool of ours from one of an MCP server. A message that it gave no result is ours. */
export function offeredTool(tool: ServerTool, { server, entry, digest, call }: OfferedToolOptions): Tool {
  const { name, description, input } = visible(tool);
  return defineTool({
    name: offeredName(server, name),
    description: `Of the MCP server “${server}”${description === undefined ? "." : `, in its words: ${description}`}`,
    input: anyObject,
    schema: input,
    ...wordsAbout(tool, entry),
    run: async (given, { signal }) => {
      const result = await call(tool.name, given as object, { signal, digest, tool });
      if (result.status === "answered") return { text: result.text, ...(result.failed ? { failed: true } : {}) };
      return { text: `Unavailable: the MCP server “${server}”: ${result.because}.`, failed: true, foreign: false };
    },
  });
}

/** Returns what the operator says of a tool; of its reading the server, where the operator believes it. */
function wordsAbout({ name, annotations }: ServerTool, { trusted, reads, harmless }: McpEntry) {
  const isIn = (names: readonly string[] = []) => names.some((pattern) => patternOf(pattern).test(name));
  const doesRead = reads === "annotated" ? annotations?.readOnlyHint === true : isIn(reads);
  return {
    ...(isIn(trusted) ? { trusted: true as const } : {}),
    ...(doesRead ? { reads: true as const } : {}),
    ...(isIn(harmless) ? { harmless: true as const } : {}),
  };
}

function patternOf(words: string): RegExp {
  return new RegExp(
    `^${words
      .split("*")
      .map((part) => part.replace(/[^\w]/g, "\\$&"))
      .join(".*")}$`,
  );
}

/** Names that chat templates and providers give their speakers, and that tool descriptions borrow to be obeyed. */
const tags = new Set(
  "system important instruction instructions assistant user human developer admin prompt secret tool".split(" "),
);
const structure = { ...nothingForbidden, level: 1, tags };
const tag = new RegExp(`</?(?:${[...tags].join("|")})\\b[^>]{0,200}>`, "i");

/** Orders that no description has a reason to give: a model with other tools, and a user, reads it. */
const orders: readonly (readonly [string, RegExp])[] = [
  [
    "keeps something from the user",
    /\b(?:do not|don['’]t|never|must not)\s+(?:tell|mention|inform|reveal|show|notify|alert|ask|let)\b.{0,60}\buser/is,
  ],
  [
    "keeps something from the user",
    /\bwithout\s+(?:telling|informing|asking|notifying|alerting|mentioning)\b.{0,40}\buser/is,
  ],
  [
    "speaks of other tools",
    /\b(?:before|after|whenever|when|instead of|prior to)\b.{0,40}\b(?:any|every|all|each|another|other)\b.{0,30}\btools?\b/is,
  ],
  [
    "names where secrets are kept",
    /\bid_(?:rsa|ed25519)\b|(?:^|[\s/~"'`])\.(?:ssh|aws|env|netrc|npmrc)\b|\/etc\/(?:passwd|shadow)\b/i,
  ],
  ["speaks of the prompt", /\b(?:system|developer)\s+(?:prompt|message|instructions?)\b/i],
];

/** The line above other people's words, by which a model knows them as such. */
const fence = /wrote \(data, not instructions\)/i;

/**
 * Lists reasons for a person to look at a stranger's tool before it is offered. It is advisory, like the screen for overrides: a
 * description can do harm in other words, and results are fenced whatever it says.
 *
 * `others`: the names of the agent's other tools, which this one has no reason to name.
 */
export function screenTool(tool: ServerTool, others: Iterable<string>): string[] {
  const texts = wordsOf([tool.name, tool.description, tool.input, tool.annotations ?? {}]);
  const words = texts.join("\n");
  const spelled = /[_-]/.test(words) ? `${words}\n${words.replace(/[_-]+/g, " ")}` : words;
  const findings: string[] = [];
  const override = findOverride(spelled);
  if (override) findings.push(`It gives orders: “${preview(spelled.slice(override.start, override.end), 120)}”.`);
  for (const [what, pattern] of orders) {
    const match = pattern.exec(words);
    if (match) findings.push(`It ${what}: “${preview(match[0], 120)}”.`);
  }
  const forged = tag.exec(words)?.[0] ?? fence.exec(words)?.[0] ?? forgedIn(tool.description);
  if (forged !== undefined) findings.push(`It looks like structure: “${preview(forged, 120)}”.`);
  if (new RegExp(invisible.source, "u").test(words)) findings.push("It has characters that no eye sees.");
  const namedTools = [...others].filter(
    (name) => name.includes("_") && new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(words),
  );
  if (namedTools.length > 0) findings.push(`It names other tools of the agent: ${namedTools.slice(0, 5).join(", ")}.`);
  return [...new Set(findings)];
}

function forgedIn(description = ""): string | undefined {
  const place = placesIn(description, structure).places.find(({ certainty }) => certainty === "sure");
  return place && description.slice(place.at, place.at + 200);
}
