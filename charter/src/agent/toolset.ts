import { aiSdkMessages } from "../delivery/converters/ai-sdk.ts";
import type { ToolOffer } from "../delivery/model.ts";
import { badArgument, checkNames, isPromise, isText } from "../prompt/argument.ts";
import { allSections, type Charter, sectionMutability } from "../prompt/charter.ts";
import { listed, Problem, reasonOf } from "../prompt/problem.ts";
import type { Notice, ToolLine } from "../prompt/reading.ts";
import { mendedData, mendedNotice } from "../prompt/sound.ts";
import type { Declaration } from "./declaration.ts";
import { isStandardSchema, jsonSchemaOf, type SchemaIssue, type StandardSchema } from "./schema.ts";
import { defineTool, type Tool, type ToolContext, type ToolOutput } from "./tool.ts";

/** An agent's tools: by name, as a model is offered them, and as they stand in the prompt. */
export type Toolset = {
  readonly byName: ReadonlyMap<string, Tool>;
  readonly offers: readonly ToolOffer[];
  /** Returns each tool's line in the prompt, given how often it was called this turn. */
  readonly lines: (called: ReadonlyMap<string, number>) => readonly ToolLine[];
  /** Says which offers were mended. */
  readonly notices: readonly Notice[];
};

/**
 * Makes toolsets of the tools a charter brings and the agent's own. A charter declared anew each turn keeps the same offers while
 * its tools are the same; one whose tools change has to be declared anew.
 */
export function createToolsets(tools: readonly Tool[]): (declaration: Declaration) => Promise<Toolset> {
  const known = new WeakMap<Declaration, Promise<Toolset>>();
  let last: Toolset | undefined;
  const made = async (declaration: Declaration): Promise<Toolset> => {
    const all = [...toolList(await declaration.tools?.()), ...chosenTools(declaration, tools)];
    checkToolSections(declaration.charter, all);
    const toolset = await toolsetOf(all);
    const same = last !== undefined && JSON.stringify(last.offers) === JSON.stringify(toolset.offers);
    last = same ? { ...toolset, offers: (last as Toolset).offers } : toolset;
    return last;
  };
  return (declaration) => {
    const toolset = known.get(declaration) ?? made(declaration);
    known.set(declaration, toolset);
    // A failed toolset is made again in the next turn.
    toolset.catch(() => known.delete(declaration));
    return toolset;
  };
}

/** Returns the tools that a charter chooses of those that are offered to its agents. */
export function chosenTools({ toolNames }: Declaration, offered: readonly Tool[]): readonly Tool[] {
  return toolNames === undefined ? offered : offered.filter(({ name }) => toolNames.includes(name));
}

/**
 * Refuses a tool for a section that the charter does not have: it would fail only once a model calls it, and tell only the model.
 */
export function checkToolSections(charter: Charter, tools: readonly Tool[]): void {
  const amendable = allSections(charter).filter(
    ({ section, layer }) => typeof sectionMutability(section, layer) === "object",
  );
  const names = amendable.map(({ section }) => section.name);
  const changed = tools.flatMap(({ name, section = [] }) => [section].flat().map((one) => ({ name, section: one })));
  const lost = changed.find(({ section }) => !names.includes(section));
  if (!lost) return;
  throw new Problem(
    "unknown-section",
    `The tool “${lost.name}” changes “${lost.section}”, which is no section of “${charter.name}” that can be amended.`,
    `Those are ${listed(names)}.`,
  );
}

async function toolsetOf(tools: readonly Tool[]): Promise<Toolset> {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.name))
      throw new Problem("bad-tool", `There are two tools “${tool.name}”.`, `The tools are ${listed(byName.keys())}.`);
    byName.set(tool.name, tool);
  }
  const given = await Promise.all(tools.map(offerOf));
  const offers = given.map(mendedData);
  const unwhole = given.filter((offer, index) => offer !== offers[index]);
  const plain = linesOf(tools);
  return {
    byName,
    offers,
    notices: unwhole.map(({ name }) => mendedNotice(`What the tool “${name}” says of itself`)),
    lines: (called) =>
      tools.map((tool, index) => {
        if (tool.callsPerTurn === undefined) return plain[index] as ToolLine;
        return { ...(plain[index] as ToolLine), left: Math.max(0, tool.callsPerTurn - (called.get(tool.name) ?? 0)) };
      }),
  };
}

/** Returns tools as a model is offered them, with a JSON Schema each: the `offers` of `deliver`, for a loop of your own. */
export async function offersOf(tools: readonly Tool[]): Promise<ToolOffer[]> {
  return mendedData(await Promise.all(toolList(tools).map(offerOf)));
}

async function offerOf({
  name,
  summary = name,
  description = summary,
  input,
  schema: ownSchema,
}: Tool): Promise<ToolOffer> {
  try {
    const { $schema: _, ...schema } = ownSchema ?? (await jsonSchemaOf(input));
    // Every provider requires an object, and rejects the whole request otherwise.
    if (schema.type !== "object") throw new Error("Its input is no object.");
    return { name, description, input: schema };
  } catch (error) {
    throw new Problem(
      "bad-tool",
      `The tool “${name}” cannot be offered to a model: ${reasonOf(error)}`,
      error instanceof Problem
        ? error.hint
        : "Give it an object as its input, of what JSON can say; or a `schema`, the JSON Schema of its input.",
    );
  }
}

/** Returns tools as the prompt lists them: the `tools` of a `SourceContext`, for a loop of your own. */
export function linesOf(tools: readonly Tool[]): ToolLine[] {
  return toolList(tools).map(lineOf);
}

function lineOf({ name, summary, guidelines = [] }: Tool): ToolLine {
  return { name, ...(summary === undefined ? {} : { summary }), ...(guidelines.length > 0 ? { guidelines } : {}) };
}

/**
 * Tools in a list, or in an object by name. The object may also contain tools of the AI SDK, which have no name of
 * their own.
 */
export type Tools = readonly Tool[] | Readonly<Record<string, Tool | AiTool>>;

/** Reads given tools as a list of ours. Anything that is no tool is named. */
export function toolList(given: Tools = []): readonly Tool[] {
  if (isPromise(given)) throw bad("The tools are a promise.", "Await them first.");
  if (Array.isArray(given)) {
    for (const [index, tool] of given.entries()) if (!isTool(tool)) throw notInList(tool, index);
    return given;
  }
  if (typeof given === "object" && given !== null && !isTool(given))
    return Object.entries(given).map(([name, tool]) => toolNamed(name, tool));
  throw bad("The tools are no list.", "Give tools as [tool] or { name: tool }.");
}

function toolNamed(name: string, tool: Tool | AiTool): Tool {
  if (isAiTool(tool)) return toolOf(name, tool);
  if (!isTool(tool))
    throw bad(`“${name}” among the tools is no tool.`, "Write it with defineTool, or with tool() of the AI SDK.");
  if (tool.name === name) return tool;
  throw bad(`The tool “${tool.name}” is listed among the tools as “${name}”.`, "Give it one name in both places.");
}

function isTool(given: unknown): given is Tool {
  const { name, run, input } = Object(given) as Partial<Tool>;
  return typeof name === "string" && typeof run === "function" && input !== undefined;
}

function notInList(given: unknown, index: number): Problem {
  if (isAiTool(given))
    return bad(
      `Tool ${index + 1} of the list is the AI SDK's, and has no name of its own.`,
      'Give the tools by name, { weather: tool(…) }, or this one as toolOf("weather", tool(…)).',
    );
  const { name } = Object(given) as { readonly name?: unknown };
  const called = typeof name === "string" ? ` (“${name}”)` : "";
  return bad(`Tool ${index + 1} of the list${called} is no tool.`, "Write it with defineTool.");
}

function bad(message: string, hint: string): Problem {
  return new Problem("bad-tool", message, hint);
}

/**
 * A tool of the AI SDK 5, 6 or 7, as its `tool()` and `dynamicTool()` make it. Described by its shape, so the SDK need
 * not be installed.
 */
export type AiTool = {
  readonly inputSchema: object;
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
  readonly description?: unknown;
  readonly toModelOutput?: ((about: never) => unknown) | undefined;
};

/** Facts about a tool that Charter uses and the AI SDK's tools do not state. */
export type ToolOfOptions = Pick<
  Tool,
  "summary" | "guidelines" | "trusted" | "reads" | "harmless" | "callsPerTurn" | "states" | "schema"
>;

const moreFields = "summary guidelines trusted reads harmless callsPerTurn states schema".split(
  " ",
) as (keyof ToolOfOptions)[];

/** Fields that change how a tool works in the SDK and do nothing here, with the fault to report: none is ignored silently. */
const unknownHere: Readonly<Record<string, string>> = {
  needsApproval: "needs approval, which is not asked for here: leave that out, and a person is asked in a tainted turn",
  contextSchema: "wants a context, which is not given here: let it close over what it needs",
  providerOptions: "has options for a provider, which are not sent here",
  deferLoading: "is to be found by a search, which is not made here",
  onInputStart: "wants to hear of its input as it comes, which is not told here",
  onInputDelta: "wants to hear of its input as it comes, which is not told here",
  onInputAvailable: "wants to hear of its input before it runs, which is not told here",
};

function isAiTool(given: unknown): given is AiTool {
  if (typeof given !== "object" || given === null || "run" in given) return false;
  return "inputSchema" in given || "execute" in given || "parameters" in given || isProviders(given);
}

/**
 * Makes a tool of ours from one of the AI SDK, under this name. It runs with `{ toolCallId, messages, abortSignal }`; the last of
 * several results counts; `toModelOutput` is called as AI SDK 6 and 7 call it. `strict` and `inputExamples` are hints to a
 * provider, and are not sent: the arguments are checked here in any case.
 */
export function toolOf(name: string, tool: AiTool, more: ToolOfOptions = {}): Tool {
  if (!isText(name)) throw badArgument("toolOf was given no name.", 'Give toolOf("weather", tool).');
  checkNames("toolOf", more, moreFields);
  const faults = faultsOf(tool);
  if (faults.length > 0)
    throw new Problem(
      "bad-tool",
      `The tool “${name}” of the AI SDK cannot be used: it ${faults.join("; it ")}.`,
      "Change it, or write it with defineTool.",
    );
  const { description } = tool as { readonly description?: string };
  return defineTool({
    name,
    input: standardOf(tool.inputSchema),
    ...(description === undefined ? {} : { description }),
    ...more,
    run: async (input, context) =>
      shownOutput(tool, { call: context.call, input }, await executeAiTool(tool, input, context)),
  });
}

function executeAiTool(tool: AiTool, input: unknown, { call, messages, signal }: ToolContext): Promise<unknown> {
  const options = { toolCallId: call, messages: aiSdkMessages(messages), abortSignal: signal };
  // Called as a method, since it may use `this`.
  const execute = tool.execute as (input: unknown, options: object) => unknown;
  return finalOutput(execute.call(tool, input, options));
}

function faultsOf(tool: AiTool): string[] {
  const given = Object(tool) as Readonly<Record<string, unknown>>;
  if (isProviders(given)) return ["is its provider's own, and only the AI SDK can offer it"];
  const isSet = (value: unknown) => value !== undefined && value !== null && value !== false;
  return [
    ...("parameters" in given && !("inputSchema" in given)
      ? ["is one of AI SDK 4, which called its inputSchema “parameters”"]
      : []),
    ...(typeof given.execute === "function" ? [] : ["has nothing to execute"]),
    ...(typeof given.description === "function" ? ["makes its description anew for each request"] : []),
    ...new Set(Object.entries(unknownHere).flatMap(([field, fault]) => (isSet(given[field]) ? [fault] : []))),
  ];
}

function isProviders(given: object): boolean {
  const { type } = given as { readonly type?: unknown };
  return type === "provider" || type === "provider-defined";
}

/** A schema as `jsonSchema()` and `zodSchema()` of the AI SDK make it. */
type AiSchema = {
  readonly jsonSchema: object | PromiseLike<object>;
  readonly validate?: (value: unknown) => Validation | PromiseLike<Validation>;
};
type Validation = { readonly success: boolean; readonly value?: unknown; readonly error?: unknown };

/**
 * Converts a schema the AI SDK accepts to a Standard Schema: it may be one, one of the SDK's own, or a function that returns one.
 */
export function standardOf(given: object): StandardSchema {
  if (isStandardSchema(given)) return given;
  const schema: unknown = typeof given === "function" ? given() : given;
  if (isStandardSchema(schema)) return schema;
  if (typeof schema !== "object" || schema === null || !("jsonSchema" in schema)) return schema as StandardSchema;
  const own = schema as AiSchema;
  return {
    "~standard": {
      version: 1,
      vendor: "ai",
      validate: async (value) =>
        own.validate ? validateWith(own.validate, value) : checkAgainst(await own.jsonSchema, value),
      jsonSchema: { input: () => own.jsonSchema as Record<string, unknown> },
    },
  };
}

async function validateWith(validate: NonNullable<AiSchema["validate"]>, value: unknown) {
  const { success, value: parsed, error } = await validate(value);
  return success ? { value: parsed } : { issues: issuesOf(error) };
}

/** Lists the issues in an error. Errors of zod and similar libraries name the places; others have only a message. */
function issuesOf(error: unknown): readonly SchemaIssue[] {
  const { issues, cause } = Object(error) as { readonly issues?: unknown; readonly cause?: unknown };
  if (Array.isArray(issues) && issues.length > 0) return issues as SchemaIssue[];
  return cause === undefined ? [{ message: reasonOf(error) }] : issuesOf(cause);
}

const schemas = new WeakMap<object, Promise<StandardSchema | undefined>>();

/** Checks a value against a bare JSON Schema, as far as that can be read; the value itself stays as written. */
async function checkAgainst(jsonSchema: object, value: unknown) {
  const reading = schemas.get(jsonSchema) ?? readSchema(jsonSchema);
  schemas.set(jsonSchema, reading);
  const { issues } = (await (await reading)?.["~standard"].validate(value)) ?? {};
  return issues ? { issues } : { value };
}

async function readSchema(jsonSchema: object): Promise<StandardSchema | undefined> {
  // Patterns with \p{…} would be read without the flag they need, and match nothing.
  if (/\\[pPu]\{/.test(JSON.stringify(jsonSchema))) return undefined;
  const { fromJSONSchema } = await import("zod");
  try {
    return fromJSONSchema(jsonSchema as never);
  } catch {
    // The AI SDK does not check a bare JSON Schema at all.
    return undefined;
  }
}

/** Results that a tool's `toModelOutput` may give. */
type ModelOutput =
  | { readonly type: "text" | "error-text"; readonly value: string }
  | { readonly type: "json" | "error-json"; readonly value: unknown }
  | { readonly type: "content"; readonly value: readonly { readonly type: string; readonly text?: string }[] }
  | { readonly type: "execution-denied"; readonly reason?: string };

/** Returns a tool's final result: of several, one after the other, the last. */
export async function finalOutput(given: unknown): Promise<unknown> {
  if (!isAsyncIterable(given)) return given;
  let last: unknown;
  for await (const one of given) last = one;
  return last;
}

function isAsyncIterable(given: unknown): given is AsyncIterable<unknown> {
  return typeof (Object(given) as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === "function";
}

type Converting = { readonly toModelOutput?: ((about: never) => unknown) | undefined };
type CallFacts = { readonly call: string; readonly input: unknown };

/** Returns a result as the model reads it. A value becomes JSON, whatever fields it has: none has a meaning to Charter. */
export async function shownOutput(tool: Converting, { call, input }: CallFacts, output: unknown): Promise<ToolOutput> {
  if (typeof tool.toModelOutput !== "function") return asText(output);
  const toModelOutput = tool.toModelOutput as (about: object) => unknown;
  return toldOutput((await toModelOutput.call(tool, { toolCallId: call, input, output })) as ModelOutput);
}

function toldOutput(output: ModelOutput): ToolOutput {
  switch (output?.type) {
    case "text":
    case "json":
      return asText(output.value);
    case "error-text":
    case "error-json":
      return { text: asText(output.value), failed: true };
    case "execution-denied":
      return { text: `Not run: it was denied.${output.reason === undefined ? "" : ` ${output.reason}`}`, failed: true };
    case "content":
      return contentText(output.value);
    default:
      throw new Error("its toModelOutput gave nothing that is known here.");
  }
}

function contentText(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  const texts = parts.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : []));
  const others = parts.filter(({ type }) => type !== "text").map(({ type }) => type);
  const note = others.length === 0 ? [] : [`(left out, since only text can be given: ${others.join(", ")})`];
  return [...texts, ...note].join("\n");
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "null");
}
