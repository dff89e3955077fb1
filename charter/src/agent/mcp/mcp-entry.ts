import { isRecord } from "../../prompt/argument.ts";
import { invisible } from "../../prompt/character.ts";
import { mended } from "../../prompt/sound.ts";
import { sha256 } from "../../store/texts/packing.ts";

/**
 * What is said of a server's tools, in the words of a `Tool`: names, in which `*` stands for any letters. None, unless given. A
 * server's own words about them are a stranger's.
 */
type McpUse = {
  readonly trusted?: readonly string[];
  /** "annotated": those of which the server says so itself. */
  readonly reads?: readonly string[] | "annotated";
  readonly harmless?: readonly string[];
  /**
   * The treatment of its tools when they are first seen and the screen finds nothing in them. "screen" (the default): they are
   * offered. "ask": a person is asked, once for all of them.
   */
  readonly pin?: "screen" | "ask";
  /** Maximum number of seconds of one call: 60, unless given. The agent's own limit holds as well. */
  readonly seconds?: number;
};

/** A program that is started and spoken to over its standard input and output. */
export type McpProgram = {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** The program's whole environment, besides PATH and HOME: values by name, or names of variables that are handed on. */
  readonly env?: Readonly<Record<string, string>> | readonly string[];
  /** The directory it is started in. */
  readonly cwd?: string;
};

/** A server that is reached at an address (streamable HTTP). */
type McpAddress = {
  readonly url: string;
  /** Headers sent with each request, for a key. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** An MCP server, as `mcp` in charter.config.ts describes it: `{ files: { command: [...] } }` or `{ notes: { url } }`. */
export type McpEntry = McpUse & (McpProgram | McpAddress);

/** The form of a server's name, which becomes part of the names of its tools. */
export const serverName = /^[a-z][a-z0-9-]{0,23}$/;

/** Limits on what a server may offer, and on waiting for it. */
export const mcpLimits = {
  tools: 64,
  pages: 16,
  descriptionChars: 8192,
  schemaChars: 32_768,
  /** Maximum size of a message in bytes; a longer one is not read. */
  messageBytes: 4 * 1024 * 1024,
  connectMs: 60_000,
  listMs: 20_000,
  /** Maximum wait of a turn for a server that is just being started, in milliseconds. */
  waitMs: 10_000,
  /** Milliseconds after which a server is asked for its tools again, even if it did not say that they changed. */
  freshMs: 60_000,
  /** Pauses between attempts to reach a server that is not there, in milliseconds: the first, and the longest. */
  pauseMs: [1000, 60_000],
} as const;

/** A tool as an MCP server describes it: only the fields that reach a model, or decide what is believed of it. */
export type ServerTool = {
  readonly name: string;
  readonly description?: string;
  /** The JSON Schema of its input. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The server's own claims about it, `readOnlyHint` among them. */
  readonly annotations?: Readonly<Record<string, unknown>>;
};

/** A tool that cannot be offered, whatever the settings say, and why. */
export type UnusableTool = { readonly tool: string; readonly because: string };

/** Reads a server's list of tools, and sorts out those that cannot be used. */
export function readTools(listed: readonly unknown[]): {
  readonly tools: readonly ServerTool[];
  readonly unusable: readonly UnusableTool[];
} {
  const tools: ServerTool[] = [];
  const unusable: UnusableTool[] = [];
  for (const given of listed) {
    const tool = toolOf(Object(given));
    const because =
      tools.length >= mcpLimits.tools
        ? `more than ${mcpLimits.tools} tools of one server are not offered`
        : (faultOf(tool) ?? (tools.some(({ name }) => name === tool.name) ? "another has its name" : undefined));
    if (because === undefined) tools.push(tool);
    else unusable.push({ tool: tool.name, because });
  }
  return { tools, unusable };
}

function toolOf({ name, description, inputSchema, annotations }: Readonly<Record<string, unknown>>): ServerTool {
  return {
    name: String(name),
    ...(typeof description === "string" && description.trim() !== "" ? { description } : {}),
    input: isRecord(inputSchema) ? inputSchema : {},
    ...(isRecord(annotations) ? { annotations } : {}),
  };
}

function faultOf({ name, description = "", input }: ServerTool): string | undefined {
  if (!/^[A-Za-z0-9][\w./-]{0,63}$/.test(name)) return "its name is not 1 to 64 letters, digits, “_”, “-”, “.” and “/”";
  if (description.length > mcpLimits.descriptionChars)
    return `its description is longer than ${mcpLimits.descriptionChars} characters`;
  if (input.type !== "object") return "its input is no object";
  if (JSON.stringify(input).length > mcpLimits.schemaChars)
    return `the schema of its input is longer than ${mcpLimits.schemaChars} characters`;
  return undefined;
}

/** Returns a tool's digest, which does not depend on the order in which its server writes the fields. */
export function digestOf(tool: ServerTool): string {
  return sha256(JSON.stringify(sorted(tool)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).toSorted();
  return names.map((name) => [name, sorted(value[name])]);
}

/** Returns a tool's name among an agent's tools. */
export function offeredName(server: string, tool: string): string {
  return `${server}_${tool}`.replace(/[^\w-]/g, "_");
}

/** Lists every text in a value, at whatever depth, names of properties among them. */
export function wordsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(wordsOf);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => [name, ...wordsOf(one)]);
}

/** Returns a value without invisible and half characters: with half of one, a provider would reject the request. */
export function visible<Value>(value: Value): Value {
  if (typeof value === "string") return mended(value).replace(new RegExp(invisible.source, "gu"), "") as Value;
  if (Array.isArray(value)) return value.map(visible) as Value;
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [visible(name), visible(one)])) as Value;
}
