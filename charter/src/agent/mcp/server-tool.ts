import { isRecord } from "../../prompt/argument.ts";
import { invisible } from "../../prompt/character.ts";
import { sha256 } from "../../store/texts/packing.ts";
import { mcpLimits } from "./mcp-entry.ts";

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
