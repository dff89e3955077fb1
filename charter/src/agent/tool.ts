import type { input as ZodInput, ZodObject, output as ZodOutput, ZodRawShape } from "zod";
import type { Scope } from "../amend/amendment.ts";
import type { Operation } from "../amend/operation.ts";
import type { Quote } from "../delivery/cost.ts";
import type { Message } from "../delivery/model.ts";
import { badArgument, isList, isObject, isPlain, isText, kindOf } from "../prompt/argument.ts";
import { listed, Problem, reasonOf } from "../prompt/problem.ts";
import type { Prompt } from "../prompt/prompt.ts";
import type { Notice } from "../prompt/reading.ts";
import type { ProposalOutcome } from "../store/amendments/judge.ts";
import type { Store } from "../store/store.ts";
import { isStandardSchema, type SchemaIssue, type SchemaOutput, type StandardSchema } from "./schema.ts";

/** A function the model may call. While it is active, the prompt lists its summary (one line) and guidelines. */
export type Tool<Input = never> = {
  readonly name: string;
  /** A schema of zod, valibot, arktype or a similar library: it parses the model's arguments before the tool runs. */
  readonly input: StandardSchema;
  /** The JSON Schema for the model, if it is not to be made from `input`. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /**
   * The tool's line in the prompt; the charter's words about it, or its name, unless given. A tool without a summary needs a
   * description.
   */
  readonly summary?: string;
  /** Further lines in the prompt on how to use it. */
  readonly guidelines?: readonly string[];
  /** The description for the model; the summary, unless given. */
  readonly description?: string;
  readonly run: (input: Input, context: ToolContext) => ToolOutput | Promise<ToolOutput>;
  /**
   * Says that its results are your program's own words. Unsaid, they are other people's text (a web page, an inbox): they are
   * quoted, and the turn counts as tainted from then on.
   */
  readonly trusted?: true;
  /**
   * Says that it changes nothing and does not depend on other reads: its calls need no approval in a tainted turn, and those of
   * one answer run side by side.
   */
  readonly reads?: true;
  /** Says that it may run in a tainted turn, though it changes something. Unsaid, a person must approve the call first. */
  readonly harmless?: true;
  /** Tells that a call is the person's own words, typed in this turn (`typed`): then a tainted turn is no reason to ask about it. */
  readonly isOwn?: (input: unknown, context: ToolContext) => boolean;
  /** The section it changes, or several: an agent whose charter has no such section to amend is refused. */
  readonly section?: string | readonly string[];
  /** The directory it acts in, for the question to the person who approves a call. An approved call runs only there. */
  readonly place?: string;
  /** Returns a sentence that says what an id in the arguments stands for, for the person who is asked about the call. */
  readonly meant?: (input: unknown, context: ToolContext) => Promise<string | undefined>;
  /** Maximum number of calls in one turn. */
  readonly callsPerTurn?: number;
  /**
   * Says that it runs at the client who asked for the turn: `onClientCalls` of `runTurn` gives its results. `run` is called only
   * where there is none.
   */
  readonly client?: true;
  /** States of the agent's loop in which it runs; in any, unless given. */
  readonly states?: readonly string[];
};

/**
 * The result of a tool: text for the model, or a value that is sent as JSON. `foreign`: it contains other people's text, which
 * a trusted tool has quoted itself; false, in a tool that is not trusted: these words are its own. `notice`: a
 * message for whoever reads the answer.
 */
export type ToolOutput =
  | string
  | { readonly text: string; readonly foreign?: boolean; readonly failed?: true; readonly notice?: Notice }
  | object;

/** A change to a section that a tool proposes, in the agent's name. */
export type ProposedChange = {
  readonly section: string;
  readonly operation: Operation;
  readonly reason?: string;
  readonly revision?: number;
};

/** The turn that a tool runs in. The user it acts for comes from here, never from the model's arguments. */
export type ToolContext = {
  readonly turn: string;
  readonly scope: Scope;
  /** The user of the turn, or `null`: a sub-agent is called with it, `agent.runTurn({ input, user: context.user })`. */
  readonly user: string | null;
  readonly channel: string | undefined;
  readonly now: string;
  /** The call's id: the same call is never made twice. */
  readonly call: string;
  /** Says that untrusted text is in the turn's context. */
  readonly tainted: boolean;
  /**
   * Data given with the turn (`runTurn({ context })`), checked by the agent's schema if it has one. For a call that a person
   * approved later, the data kept with the turn that made it.
   */
  readonly context?: unknown;
  /** The part of the turn's input that the person typed, where that is known. */
  readonly typed?: string;
  readonly signal: AbortSignal;
  readonly store: Store;
  /** The prompt of the step that made the call. */
  readonly prompt: Prompt;
  /** The messages so far, in this turn and before it in the session: all that the call was made after. */
  readonly messages: readonly Message[];
  /** Returns the current text of an amendable section, for this turn's user. */
  readonly standing: (section: string) => Promise<{ readonly text: string; readonly revision: number }>;
  /** Proposes a change in the agent's name. It is judged by the charter's rules and recorded in this turn. */
  readonly propose: (change: ProposedChange) => Promise<ProposalOutcome & { readonly quote?: Quote }>;
};

export const toolName = /^[A-Za-z][\w-]{0,63}$/;

/** A tool as `defineTool` takes it: `run` receives the model's arguments as the schema `input` parses them. */
export type ToolDefinition<Schema extends StandardSchema> = Omit<Tool<SchemaOutput<Schema>>, "input"> & {
  readonly input: Schema;
};

const toolFields: ReadonlySet<string> = new Set<keyof Tool>([
  ...(["name", "input", "schema", "summary", "guidelines", "description", "run", "trusted", "reads"] as const),
  ...(["harmless", "isOwn", "section", "place", "meant", "callsPerTurn", "client", "states"] as const),
]);

type Zod = typeof import("zod").z;

/** The input of a built-in tool: an object with the fields that `fields` writes with zod. */
export type ToolInput<Fields extends ZodRawShape> = StandardSchema<
  ZodInput<ZodObject<Fields>>,
  ZodOutput<ZodObject<Fields>>
> & {
  readonly fields: (z: Zod) => Fields;
  readonly parse: (value: unknown) => Promise<ZodOutput<ZodObject<Fields>>>;
};

/** Makes a schema when it is first needed: loading zod takes longer than a whole turn. */
export function toolInput<Fields extends ZodRawShape>(fields: (z: Zod) => Fields): ToolInput<Fields> {
  let made: Promise<ZodObject<Fields>> | undefined;
  const schema = () => {
    made ??= import("zod").then(({ z }) => z.object(fields(z)));
    return made;
  };
  return {
    fields,
    parse: async (value) => (await schema()).parse(value),
    "~standard": {
      version: 1,
      vendor: "charter",
      validate: async (value) => (await schema())["~standard"].validate(value),
      jsonSchema: { input: async (options) => (await schema())["~standard"].jsonSchema.input(options) },
    },
  };
}

/** Checks a tool where it is defined. The type of its input is inferred from the schema. */
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
  } else if (!isText(tool.summary) || tool.summary.trim() === "" || /[\r\n]/.test(tool.summary))
    faults.push("its summary is not one line");
  if (tool.guidelines !== undefined && !isList(tool.guidelines)) faults.push("its guidelines are no list");
  const unknown = isPlain(tool) ? Object.keys(tool).filter((field) => !toolFields.has(field)) : [];
  if (unknown.length > 0) faults.push(`nothing is known of its ${listed(unknown)}`);
  if (tool.callsPerTurn !== undefined && !(Number.isSafeInteger(tool.callsPerTurn) && tool.callsPerTurn > 0))
    faults.push("its calls per turn are no whole number from 1 up");
  if (faults.length === 0) return tool;
  const hint = unknown.length > 0 ? `A tool may have ${listed(toolFields)}.` : "Fix its definition.";
  throw new Problem("bad-tool", `The tool “${tool.name}” cannot be used: ${faults.join("; ")}.`, hint);
}

/** Tells whether a tool's calls need approval in a tainted turn: unless it says that they do no harm. */
export function hasEffects({ reads, harmless }: Pick<Tool, "reads" | "harmless">): boolean {
  return reads !== true && harmless !== true;
}

/** The parsed arguments of a tool, and the raw ones: a schema may make something else of the words. */
export type ToolArguments = { readonly input: unknown; readonly raw: unknown };
export type ParsedArguments = ToolArguments | { readonly fault: string };

export async function parseToolInput(tool: Tool, written: string): Promise<ParsedArguments> {
  let value: unknown;
  try {
    value = written.trim() === "" ? {} : (JSON.parse(written) ?? {});
  } catch (error) {
    return { fault: `Not run: the arguments are no JSON (${reasonOf(error)}). Write them again, whole.` };
  }
  return checkToolInput(tool, value);
}

/** Checks a tool's arguments. A schema may have code of its own, which a model's words can make throw. */
export async function checkToolInput(tool: Tool, value: unknown): Promise<ParsedArguments> {
  try {
    const parsed = await parseWithoutNulls(tool.input, value);
    if (!parsed.issues) return { input: parsed.value, raw: value };
    const faults = parsed.issues.map(
      (issue) => `${issuePath(issue).map(String).join(".") || "arguments"}: ${issue.message}`,
    );
    return { fault: `Not run: the arguments do not fit “${tool.name}”. ${faults.join("; ").replace(/\.$/, "")}.` };
  } catch (error) {
    return { fault: `Not run: the arguments do not fit “${tool.name}”. ${reasonOf(error)}` };
  }
}

type Path = readonly PropertyKey[];

/**
 * An issue that may hold others: for a choice between several shapes, each library lists the objections of each shape in its own
 * way.
 */
type Issue = SchemaIssue & {
  /** zod 4: a list for each shape, with paths from here on. arktype: one issue for each shape, with paths from the root. */
  readonly errors?: readonly (Issue | readonly Issue[])[];
  /** zod 3: with paths from the root. */
  readonly unionErrors?: readonly { readonly issues: readonly Issue[] }[];
  /** valibot: with paths from here on. */
  readonly issues?: readonly Issue[];
};

/** The value a schema parsed, or its objections. */
type ParsedInput =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/**
 * Parses a value. Models write `null` for fields they leave out: where a schema objects to such a field and does not need it, the
 * field is left out. Where it needs the field, or accepts `null`, the value is judged as written.
 */
export async function parseWithoutNulls(schema: StandardSchema, value: unknown): Promise<ParsedInput> {
  const validate = (given: unknown) => schema["~standard"].validate(given);
  const first = await validate(value);
  const nulls = first.issues ? nullsIn(first.issues, value) : [];
  if (nulls.length === 0) return first;
  const less = await validate(nulls.reduce(withoutField, value));
  if (!less.issues) return less;
  const missed = new Set(issuePaths(less.issues).map(keyOf));
  const left = nulls.filter((path) => !missed.has(keyOf(path)));
  return left.length === 0 ? first : validate(left.reduce(withoutField, value));
}

/** Returns an issue's path as keys. */
export function issuePath({ path = [] }: SchemaIssue): Path {
  return Array.from(path, (segment) => (typeof segment === "object" ? segment.key : segment));
}

/** Lists the paths of fields that were objected to and are null. */
function nullsIn(issues: readonly Issue[], value: unknown): Path[] {
  const all = new Map(issuePaths(issues).map((path) => [keyOf(path), path]));
  return [...all.values()].filter((path) => {
    const [holder, key] = [valueAt(value, path.slice(0, -1)), path.at(-1)];
    return isFieldHolder(holder) && key !== undefined && Object.hasOwn(holder, key) && holder[key] === null;
  });
}

function issuePaths(issues: readonly Issue[], before: Path = []): Path[] {
  return issues.flatMap((issue) => {
    const { errors = [], unionErrors = [], issues: inside = [] } = issue;
    const path = [...before, ...issuePath(issue)];
    return [
      path,
      ...errors.flatMap((each) => (Array.isArray(each) ? issuePaths(each, path) : issuePaths([each as Issue]))),
      ...unionErrors.flatMap((each) => issuePaths(each.issues)),
      ...issuePaths(inside, path),
    ];
  });
}

function keyOf(path: Path): string {
  return JSON.stringify(path.map(String));
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inside, key) => (isHolder(inside) ? inside[key] : undefined), value);
}

function withoutField(value: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined || !isHolder(value)) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<PropertyKey, unknown>;
  if (rest.length === 0) delete copy[key];
  else copy[key] = withoutField(copy[key], rest);
  return copy;
}

function isHolder(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null;
}

function isFieldHolder(value: unknown): value is Record<PropertyKey, unknown> {
  return isHolder(value) && !Array.isArray(value);
}
