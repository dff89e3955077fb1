import { oneLine } from "../../prompt/character.ts";
import { grouped, listed, reasonOf } from "../../prompt/problem.ts";
import { isWhole } from "../../prompt/sound.ts";
import type { StandardSchema } from "../schema.ts";
import { defineTool, type Tool, type ToolContext, type ToolOutput, toolName } from "../tool.ts";
import {
  type AddedMessage,
  type CallContexts,
  contentOf,
  createCallContexts,
  type Extension,
  extensionName,
  type ReportFault,
  sentence,
  toldContent,
} from "./extension.ts";
import { createToolRegistry, type ToolRegistry } from "./tool-registry.ts";

/** The state that all extensions of one load share. */
export type ExtensionHost = {
  readonly cwd: string;
  readonly registry: ToolRegistry;
  readonly callContexts: CallContexts;
  readonly waiting: WaitingMessages;
  /** Makes a tool of an extension's definition, and registers it. */
  readonly register: (extension: Extension, definition: unknown) => void;
  /** Tells an extension, when the active tools change in a turn, that the turn keeps the tools it has taken. */
  readonly tellChange: (extension: Extension) => void;
  /** Describes a tool for `getAllTools`. */
  readonly toolInfo: (name: string) => object;
  /** Unknown tool names that were made active during loading: an extension that is loaded later may bring them. */
  readonly unknownNames: { readonly extension: Extension; readonly names: readonly string[] }[];
  loading: boolean;
  wantsReload: boolean;
};

type ExtensionHostOptions = {
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly builtIn: readonly Tool[];
  readonly active?: readonly string[];
};

export async function createExtensionHost({
  paths,
  cwd,
  builtIn,
  active,
}: ExtensionHostOptions): Promise<ExtensionHost> {
  const registry = createToolRegistry(builtIn, active);
  const callContexts = createCallContexts();
  // Registering a tool cannot wait, so everything it needs is loaded before the first extension.
  const zod = paths.length === 0 ? undefined : await import("zod");
  const tellChange = ({ reportFault }: Extension) => {
    const at = callContexts.current();
    // An input handler may change the tools: it is called before the turn takes them.
    if (at !== undefined && at.where !== "input" && callContexts.turns.has(at.turn))
      reportFault("tools-changed", `changed the active tools in ${at.where}: that holds from the next turn on.`);
  };
  return {
    cwd,
    registry,
    tellChange,
    callContexts,
    waiting: createWaitingMessages(),
    unknownNames: [],
    loading: true,
    wantsReload: false,
    toolInfo: (name) => {
      const { description, summary, schema, input } = registry.all().find((tool) => tool.name === name) as Tool;
      return {
        name,
        description: description ?? summary ?? name,
        parameters: schema ?? zod?.toJSONSchema(input as never),
      };
    },
    register: (extension, definition) => {
      const { reportFault, ctx, path } = extension;
      const within = <Result>(tool: string, { turn, user }: ToolContext, work: () => Result) => {
        const notice = (one: { code: string; message: string }) => callContexts.turns.get(turn)?.notices.push(one);
        return callContexts.within({ turn, user, where: `the tool “${tool}”`, notice }, () => extension.run(work));
      };
      const onDetails = ({ turn, call }: ToolContext, value: unknown) =>
        callContexts.turns.get(turn)?.details.set(call, value);
      try {
        const fromJsonSchema = zod?.fromJSONSchema as never;
        const replacedTool = registry.builtIn((Object(definition) as { name?: string }).name ?? "");
        const tool = extensionTool(definition, { fromJsonSchema, reportFault, ctx, within, onDetails, replacedTool });
        const outcome = registry.register(path, tool);
        if (outcome === "replaced") reportFault("tool-replaced", `replaces the built-in tool “${tool.name}”.`);
        else if (outcome !== "registered")
          reportFault(
            "tool-twice",
            `registers “${tool.name}”, which ${extensionName(outcome.twice)} has registered; the first is used.`,
          );
        if (outcome === "registered" || outcome === "replaced") tellChange(extension);
      } catch (error) {
        reportFault("bad-tool", badTool(definition, error));
      }
    },
  };
}

/** A tool as extensions define one. */
type Definition = {
  readonly name: string;
  readonly description: string;
  readonly promptSnippet: string | undefined;
  readonly promptGuidelines: readonly string[] | undefined;
  readonly parameters: object;
  readonly execute: Execute;
  /** Pi has no words for it: an extension was trusted with the whole process, so its tools are, unless one says that it is not. */
  readonly said: { readonly [Word in "trusted" | "reads" | "harmless" | "place"]?: Tool[Word] | undefined };
};

type Execute = (
  toolCallId: string,
  params: unknown,
  signal: AbortSignal,
  onUpdate: (partial: unknown) => void,
  ctx: object,
) => unknown;

type ExtensionToolOptions = {
  readonly fromJsonSchema: (schema: never) => StandardSchema;
  readonly reportFault: ReportFault;
  readonly ctx: object;
  /** Runs the tool's code in the context of its turn. */
  readonly within: <Result>(tool: string, context: ToolContext, work: () => Result) => Result;
  /** Takes a result's further details, for code that looks at the result later. */
  readonly onDetails: (context: ToolContext, details: unknown) => void;
  readonly replacedTool: Tool | undefined;
};

/** Makes a tool of ours from an extension's definition. Throws what is wrong with the definition. */
function extensionTool(given: unknown, options: ExtensionToolOptions): Tool {
  const definition = checkDefinition(given);
  const { name, description, promptSnippet, promptGuidelines = [] } = definition;
  const schema = schemaOf(definition);
  checkLength(definition, schema);
  const summary = oneLine(promptSnippet ?? "");
  // A replacement is trusted no more than the tool it replaces.
  const { trusted, reads, harmless, place } = options.replacedTool ?? definition.said;
  return defineTool({
    name,
    description,
    schema,
    input: options.fromJsonSchema(schema as never),
    ...(summary === "" ? {} : { summary }),
    ...(promptGuidelines.length > 0 ? { guidelines: [...promptGuidelines] } : {}),
    ...(trusted === true ? { trusted } : {}),
    ...(reads === true ? { reads } : {}),
    ...(harmless === true ? { harmless } : {}),
    ...(place === undefined ? {} : { place }),
    run: (input, context) => options.within(name, context, () => executeTool(definition, options, input, context)),
  });
}

function checkDefinition(given: unknown): Definition {
  const definition = Object(given) as Definition & Readonly<Record<keyof Definition["said"], unknown>>;
  const { name, description, promptSnippet, promptGuidelines, parameters, execute } = definition;
  const isText = (value: unknown) => typeof value === "string" && isWhole(value);
  const faults = [
    ...(isText(name) && toolName.test(name) ? [] : ["its name is not 1 to 64 letters, digits, _ and -"]),
    ...(isText(description) && description.trim() !== "" ? [] : ["it has no description"]),
    ...(promptSnippet === undefined || isText(promptSnippet) ? [] : ["its promptSnippet is no text"]),
    ...(promptGuidelines === undefined || (Array.isArray(promptGuidelines) && promptGuidelines.every(isText))
      ? []
      : ["its promptGuidelines are no list of texts"]),
    ...(typeof parameters === "object" && parameters !== null ? [] : ["it has no parameters"]),
    ...(typeof execute === "function" ? [] : ["it has nothing to execute"]),
  ];
  if (faults.length > 0) throw new Error(faults.join("; "));
  // Called as a method, since it may use `this`.
  const runs: Execute = (...called) => execute.apply(given, called);
  const said = {
    trusted: definition.trusted === false ? undefined : (true as const),
    reads: definition.reads === true ? (true as const) : undefined,
    harmless: definition.harmless === false ? undefined : (true as const),
  };
  return { name, description, promptSnippet, promptGuidelines, parameters, execute: runs, said };
}

/** Returns the parameters as JSON: a schema of typebox carries more, which no model reads. */
function schemaOf({ parameters }: Definition): Record<string, unknown> {
  const schema = JSON.parse(JSON.stringify(parameters), (key, value) => {
    if (!isWhole(key) || (typeof value === "string" && !isWhole(value)))
      throw new Error("in its parameters is half a character or a NUL");
    return value;
  }) as Record<string, unknown>;
  if (schema.type !== "object") throw new Error("its parameters are no object");
  return schema;
}

/** Maximum number of characters of a tool's texts and schema, because a longer one would make every request too long. */
const maxDefinitionChars = 50_000;

function checkLength({ description, promptSnippet = "", promptGuidelines = [] }: Definition, schema: object): void {
  const words = [description, promptSnippet, ...promptGuidelines, JSON.stringify(schema)];
  const length = words.reduce((sum, one) => sum + one.length, 0);
  if (length > maxDefinitionChars)
    throw new Error(
      `its text and parameters have ${grouped(length)} characters; the limit is ${grouped(maxDefinitionChars)}`,
    );
}

async function executeTool(
  definition: Definition,
  options: ExtensionToolOptions,
  input: unknown,
  context: ToolContext,
): Promise<ToolOutput> {
  const { name } = definition;
  const result = await definition.execute(context.call, input, context.signal, () => {}, options.ctx);
  const { content, details, isError } = Object(result) as Record<string, unknown>;
  const read = contentOf(content);
  if (read === undefined) {
    options.reportFault("bad-result", `gave a result of its tool “${name}” that cannot be read: it has no content.`);
    return { text: `“${name}” gave no result that can be read; whether it took effect is not known.`, failed: true };
  }
  if (read.leftOut > 0)
    options.reportFault("beyond", `gives images as a result of its tool “${name}”, which are left out.`);
  options.onDetails(context, details);
  return { text: toldContent(read), ...(isError === true ? { failed: true } : {}) };
}

/** Explains why a definition cannot be used, for the report. */
function badTool(given: unknown, error: unknown): string {
  const name = nameIn(given);
  const called = name === undefined ? "" : ` (${listed([name])})`;
  return sentence(`registers a tool that cannot be used${called}: ${reasonOf(error)}`);
}

function nameIn(given: unknown): string | undefined {
  try {
    const { name } = Object(given) as { name?: unknown };
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}

/** A message an extension sent: it goes with the input of the next turn. */
type WaitingMessage = AddedMessage & { readonly owner: string; readonly user: string | null | typeof anyone };

/** Stands for any user: the message was sent outside every turn, so it goes to whoever writes next. */
export const anyone = Symbol("anyone");

const waitingLimits = { messages: 100, bytes: 100_000 };

export type WaitingMessages = {
  /** Adds a message; returns why there is no room for it, or undefined. */
  readonly add: (message: WaitingMessage) => string | undefined;
  /** Returns the messages for this user, in the order they were sent, and removes them. */
  readonly drain: (user: string | null) => readonly AddedMessage[];
  readonly dropAll: (owner?: string) => void;
};

function createWaitingMessages(): WaitingMessages {
  let waiting: readonly WaitingMessage[] = [];
  return {
    add: (message) => {
      const bytes = [...waiting, message].reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      if (waiting.length >= waitingLimits.messages) return `${waitingLimits.messages} messages wait already`;
      if (bytes > waitingLimits.bytes) return `with it more than ${waitingLimits.bytes} bytes would wait`;
      waiting = [...waiting, message];
      return undefined;
    },
    drain: (user) => {
      const isFor = (one: WaitingMessage) => one.user === anyone || one.user === user;
      const taken = waiting.filter(isFor).map(({ customType, text }) => ({ customType, text }));
      waiting = waiting.filter((one) => !isFor(one));
      return taken;
    },
    dropAll: (owner) => {
      waiting = owner === undefined ? [] : waiting.filter((one) => one.owner !== owner);
    },
  };
}
