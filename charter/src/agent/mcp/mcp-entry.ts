import { isRecord } from "../../prompt/argument.ts";
import { invisible } from "../../prompt/character.ts";
import { sha256 } from "../../store/texts/packing.ts";

/** What is believed of a server's tools. A server's own words about them are a stranger's. */
type McpUse = {
  /**
   * The tools that only read, by name; `*` stands for any letters. They are not sensitive, and calls of one answer run
   * side by side. "annotated": those of which the server says so itself. None, unless given.
   */
  readonly reads?: readonly string[] | "annotated";
  /**
   * What is done with its tools when they are first seen and the screen finds nothing in them. "screen": they are
   * offered, unless given otherwise. "ask": a person is asked, once for all of them.
   */
  readonly pin?: "screen" | "ask";
  /** false: none of its tools needs a person's approval in a tainted turn. */
  readonly sensitive?: boolean;
  /** Seconds that one call may take: 60, unless given. The agent's own limit holds as well. */
  readonly seconds?: number;
};

/** A program that is started and spoken to over its standard input and output. */
export type McpProgram = {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Its whole environment, besides PATH and HOME: values by name, or names of variables that are handed on. */
  readonly env?: Readonly<Record<string, string>> | readonly string[];
  /** The directory it is started in. */
  readonly cwd?: string;
};

/** A server that is reached at an address (streamable HTTP). */
type McpAddress = {
  readonly url: string;
  /** Sent with each request, for a key. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** An MCP server, as `mcp` in charter.config.ts describes it: `{ files: { command: [...] } }` or `{ notes: { url } }`. */
export type McpEntry = McpUse & (McpProgram | McpAddress);

/** A server's name is part of the names of its tools. */
export const serverName = /^[a-z][a-z0-9-]{0,23}$/;

/** How much of a server is taken. */
export const mcpLimits = {
  tools: 64,
  pages: 16,
  descriptionChars: 8192,
  schemaChars: 32_768,
  /** A longer message is not read. */
  messageBytes: 4 * 1024 * 1024,
  connectMs: 60_000,
  listMs: 20_000,
  /** How long a turn waits for a server that is just being started. */
  waitMs: 10_000,
  /** After so long a server is asked for its tools again, also if it did not say that they changed. */
  freshMs: 60_000,
  /** Between attempts to reach a server that is not there: the first pause, and the longest. */
  pauseMs: [1000, 60_000],
} as const;

/** A tool as an MCP server describes it: what of it reaches a model, or what is believed of it. */
export type ServerTool = {
  readonly name: string;
  readonly description?: string;
  /** The JSON Schema of its input. */
  readonly input: Readonly<Record<string, unknown>>;
  /** What the server says of it, `readOnlyHint` among it. */
  readonly annotations?: Readonly<Record<string, unknown>>;
};

/** A tool that cannot be offered whatever anybody says, and why. */
export type UnusableTool = { readonly tool: string; readonly because: string };

/** What a server lists, as far as it can be used. */
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

/** The same tool has the same digest, in whatever order its server writes it. */
export function digestOf(tool: ServerTool): string {
  return sha256(JSON.stringify(sorted(tool)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).toSorted();
  return names.map((name) => [name, sorted(value[name])]);
}

/** Its name among an agent's tools. */
export function offeredName(server: string, tool: string): string {
  return `${server}_${tool}`.replace(/[^\w-]/g, "_");
}

/** Every text in it, at whatever depth, names of properties among them. */
export function wordsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(wordsOf);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => [name, ...wordsOf(one)]);
}

/** The same without what no eye sees, and without half characters: a provider would reject the request. */
export function visible<Value>(value: Value): Value {
  if (typeof value === "string") return value.toWellFormed().replace(new RegExp(invisible.source, "gu"), "") as Value;
  if (Array.isArray(value)) return value.map(visible) as Value;
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [visible(name), visible(one)])) as Value;
}
