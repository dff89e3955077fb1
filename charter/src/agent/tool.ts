import type { Scope } from "../amend/amendment.ts";
import type { Operation } from "../amend/operation.ts";
import type { Message } from "../delivery/model.ts";
import type { Quote } from "../delivery/quote.ts";
import { badArgument, isObject, isText, kindOf } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { Prompt } from "../prompt/prompt.ts";
import type { ProposalOutcome } from "../store/amendments/context.ts";
import type { Store } from "../store/store.ts";
import { isStandardSchema, type SchemaOutput, type StandardSchema } from "./standard-schema.ts";

/** What the model may call. While active it lends the prompt a summary (one line) and guidelines (bullets). */
export type Tool<Input = never> = {
  readonly name: string;
  /** A schema of zod, valibot, arktype or another of their kind: what the model writes is parsed by it before the tool runs. */
  readonly input: StandardSchema;
  /** The JSON Schema a model is offered, where it is not to be made from `input`. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Without one, the prompt's line is what the charter says of the tool, or its name; then it needs a description. */
  readonly summary?: string;
  readonly guidelines?: readonly string[];
  /** What the model is told the tool does; the summary, unless said otherwise. */
  readonly description?: string;
  readonly run: (input: Input, context: ToolContext) => ToolOutput | Promise<ToolOutput>;
  /** It acts on the world outside: in a tainted turn a person must approve the call first. */
  readonly sensitive?: true;
  /** Its results are other people's words (a web page, an inbox): they stand fenced, and the turn is tainted from then on. */
  readonly foreign?: true;
  /** So many calls a turn are the most. */
  readonly callsPerTurn?: number;
  /** It runs only while the agent's loop is in one of these states. */
  readonly states?: readonly string[];
};

/**
 * Text for the model, or a value that is given to it as JSON. `foreign`: other people's words are in it, which the tool
 * has fenced itself; a tool whose every result is foreign says so once, and is fenced.
 */
export type ToolOutput = string | { readonly text: string; readonly foreign?: true; readonly failed?: true } | object;

export type ProposedChange = {
  readonly section: string;
  readonly operation: Operation;
  readonly reason?: string;
  readonly revision?: number;
};

/** What a tool is given of the turn it runs in. Who it acts for comes from the turn, never from the model's arguments. */
export type ToolContext = {
  readonly turn: string;
  readonly scope: Scope;
  readonly channel: string | undefined;
  readonly now: string;
  /** This call's id: the same call is never made twice. */
  readonly call: string;
  /** Foreign words are in the turn's context. */
  readonly tainted: boolean;
  readonly signal: AbortSignal;
  readonly store: Store;
  /** The prompt of the step that made the call. */
  readonly prompt: Prompt;
  /** What was said so far, in this turn and before it in the session: all that the call was made after. */
  readonly messages: readonly Message[];
  /** The whole standing text of an amendable section, for this turn's scope. */
  readonly standing: (section: string) => Promise<{ readonly text: string; readonly revision: number }>;
  /** The one write path, by the agent's hand: judged by the charter's rules, recorded in this turn. */
  readonly propose: (change: ProposedChange) => Promise<ProposalOutcome & { readonly quote?: Quote }>;
};

export const toolName = /^[A-Za-z][\w-]{0,63}$/;

/** A tool as it is written: `run` is given what `input` makes of the model's words. */
export type ToolDefinition<Schema extends StandardSchema> = Omit<Tool<SchemaOutput<Schema>>, "input"> & {
  readonly input: Schema;
};

/** Checks a tool once, where it is written. */
export function defineTool<Schema extends StandardSchema>(tool: ToolDefinition<Schema>): Tool {
  if (!isObject(tool))
    throw badArgument(`What defineTool was given is ${kindOf(tool)}.`, "Give { name, input, summary, run }.");
  const faults: string[] = [];
  if (!isText(tool.name) || !toolName.test(tool.name)) faults.push("its name is not 1 to 64 letters, digits, _ and -");
  if (typeof tool.run !== "function") faults.push("it has nothing to run");
  if (!isStandardSchema(tool.input))
    faults.push("its input is no schema of zod (from 3.25 on), valibot, arktype or the like");
  if (tool.summary === undefined) {
    if (!tool.description?.trim()) faults.push("it has neither a summary nor a description");
  } else if (tool.summary.trim() === "" || /[\r\n]/.test(tool.summary)) faults.push("its summary is not one line");
  if (tool.callsPerTurn !== undefined && !(Number.isSafeInteger(tool.callsPerTurn) && tool.callsPerTurn > 0))
    faults.push("its calls per turn are no whole number from 1 up");
  if (faults.length === 0) return tool;
  throw new Problem(
    "bad-tool",
    `The tool “${tool.name}” cannot be used: ${faults.join("; ")}.`,
    "Mend its definition.",
  );
}
