import { aiSdkMessages } from "../../delivery/converters/ai-sdk.ts";
import { badArgument, checkNames, isText } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import { defineTool, type Tool, type ToolContext } from "../tool.ts";
import { finalOutput, shownOutput } from "./ai-output.ts";
import { standardOf } from "./ai-schema.ts";

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

/** What the AI SDK's tools do not say about themselves, and Charter's do. */
export type ToolOfOptions = Pick<
  Tool,
  "summary" | "guidelines" | "sensitive" | "foreign" | "reads" | "callsPerTurn" | "states" | "schema"
>;

const moreFields = "summary guidelines sensitive foreign reads callsPerTurn states schema".split(
  " ",
) as (keyof ToolOfOptions)[];

/** What changes how a tool works there, and has no place here: nothing of it is dropped in silence. */
const unknownHere: Readonly<Record<string, string>> = {
  needsApproval:
    "needs approval, which is not asked for here: leave that out, and say toolOf(name, tool, { sensitive: true })",
  contextSchema: "wants a context, which is not given here: let it close over what it needs",
  providerOptions: "has options for a provider, which are not sent here",
  deferLoading: "is to be found by a search, which is not made here",
  onInputStart: "wants to hear of its input as it comes, which is not told here",
  onInputDelta: "wants to hear of its input as it comes, which is not told here",
  onInputAvailable: "wants to hear of its input before it runs, which is not told here",
};

export function isAiTool(given: unknown): given is AiTool {
  if (typeof given !== "object" || given === null || "run" in given) return false;
  return "inputSchema" in given || "execute" in given || "parameters" in given || isProviders(given);
}

/**
 * A tool of the AI SDK as one of ours, under this name. It runs with `{ toolCallId, messages, abortSignal }`; the last
 * of several results counts; `toModelOutput` is asked as AI SDK 6 and 7 ask it. `strict` and `inputExamples` are hints
 * to a provider, and are not sent: what a model writes is checked here in any case.
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
      shownOutput(tool, { call: context.call, input }, await executed(tool, input, context)),
  });
}

function executed(tool: AiTool, input: unknown, { call, messages, signal }: ToolContext): Promise<unknown> {
  const options = { toolCallId: call, messages: aiSdkMessages(messages), abortSignal: signal };
  // As a method: it may use `this`.
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
