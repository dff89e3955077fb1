import type { ModelRequest } from "../../delivery/model.ts";
import { modelOf } from "../../delivery/models/language.ts";
import { isLanguageModel, type LanguageModel } from "../../delivery/models/model-entry.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { badArgument, isList, isObject, isText, kindOf } from "../../prompt/argument.ts";
import { allSections, sectionMutability } from "../../prompt/charter.ts";
import { listed, Problem } from "../../prompt/problem.ts";
import { declarationOf } from "../bare-declaration.ts";
import type { SchemaInput, StandardSchema } from "../schema.ts";
import type { OwnLoop } from "../session.ts";
import type { Tool } from "../tool.ts";
import { modifySystemPrompt } from "../tools/own-prompt.ts";
import type { AiTool } from "../toolset.ts";
import { anySchema, type CallsInSdk, isProviders, turnTool } from "./sdk-calls.ts";
import { type AiSettings, type AiTools, type AiTurn, type AiTurnInput, openAiTurn } from "./sdk-turn.ts";

/** Where none are given. */
type NoTools = Readonly<Record<never, object>>;

type Names<Tools> = readonly (keyof Tools & string)[];

/** What `charterFor` is given: what `createAgent` takes, with models and tools as the AI SDK has them. */
export type CharterForOptions<
  Tools extends AiTools = NoTools,
  Context extends StandardSchema = StandardSchema,
  Model extends LanguageModel = LanguageModel,
> = Omit<OwnLoop<Context>, "receiver" | "takesOutput" | "summarise" | "tools"> & {
  /** A model of the AI SDK. Of a list, the first is asked; on an outage the next, in the same step. */
  readonly model: Model | readonly [Model, ...Model[]];
  /** What you know better of the first model than its name says (`receiverOf`). */
  readonly receiver?: Receiver;
  /** Tools of the AI SDK, by name. Each has an `execute`, or is its provider's own. */
  readonly tools?: Tools;
  /** Those whose results are other people's text: they are quoted, and taint the session. */
  readonly foreign?: Names<Tools>;
  /** Those that act outside: while untrusted text is in the session, a person approves the call first. */
  readonly sensitive?: Names<Tools>;
  /** Those that only read: calls of one answer run side by side. All others run one after the other. */
  readonly reads?: Names<Tools>;
  /** The model may change these sections of its prompt; with `true`, all that are amendable by the agent. */
  readonly amend?: true | readonly [string, ...string[]];
};

/** A schema as the AI SDK takes one. */
type CallSchema<Value> = {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: Value };
    readonly types?: { readonly input: Value; readonly output: Value };
  };
};

/** An agent whose turns a loop of the AI SDK runs. */
export type AiLoop<Tools extends AiTools = NoTools, Context = unknown, Model extends LanguageModel = LanguageModel> = {
  /** Opens a turn. It has its session to itself until it ends: with its answer, a fault, an abort, or when its time is up. */
  readonly turn: (asked: AiTurnInput<Context>) => Promise<AiTurn<Tools, Model>>;
  /** `new ToolLoopAgent({ ...loop.agent })`: asked only with a turn's `call`. */
  readonly agent: {
    readonly model: Model;
    readonly tools: Tools;
    readonly allowSystemInMessages: true;
    readonly callOptionsSchema: CallSchema<AiSettings<Tools, Model>>;
    readonly prepareCall: (call: object) => never;
  };
};

/**
 * An agent for `streamText`, `generateText` and `ToolLoopAgent` of the AI SDK 7: prompt, history, tools and record are
 * Charter's, the loop is the SDK's.
 */
export function charterFor<
  Tools extends AiTools = NoTools,
  Context extends StandardSchema = StandardSchema,
  Model extends LanguageModel = LanguageModel,
>(options: CharterForOptions<Tools, Context, Model>): AiLoop<Tools, SchemaInput<Context>, Model> {
  if (!isObject(options))
    throw badArgument(`What charterFor was given is ${kindOf(options)}.`, "Give { charter, store, model }.");
  const { model, receiver: known, tools: given, foreign, sensitive, reads, amend, ...rest } = options;
  const live: CallsInSdk = new Map();
  const marks = { foreign, sensitive, reads };
  const tools = [
    ...turnTools(given ?? {}, marks, live),
    ...(amend === undefined ? [] : [modifySystemPrompt({ section: amendedSections(amend, rest.charter) })]),
  ];
  const languages = languagesOf(model);
  const models = languages.map((one, index) => modelOf(one, index === 0 ? known : undefined));
  const byName = new Map(models.map((one) => [one.receiver.name, one]));
  const loop = {
    ...rest,
    tools,
    receiver: models.map(({ receiver }) => receiver),
    takesOutput: true,
    summarise: async (request: ModelRequest, { receiver, signal }: { receiver: Receiver; signal: AbortSignal }) => {
      const own = byName.get(receiver.name) as (typeof models)[number];
      const result = await own.ask(request, { signal });
      return result.answer ?? result;
    },
  } as unknown as OwnLoop;
  const parts = {
    loop,
    store: rest.store,
    agent: rest.name ?? charterName(rest.charter),
    given: given ?? {},
    readers: new Set<string>(reads),
    live,
    languages: new Map(models.map(({ receiver }, index) => [receiver.name, languages[index] as LanguageModel])),
  };
  return {
    turn: (asked) => openAiTurn(parts, asked) as Promise<unknown> as Promise<AiTurn<Tools, Model>>,
    agent: {
      model: languages[0] as Model,
      tools: (given ?? {}) as Tools,
      allowSystemInMessages: true,
      callOptionsSchema: anySchema({}) as never,
      prepareCall: preparedCall as never,
    },
  };
}

/** The settings of a turn stand in the place of an agent's. */
function preparedCall({ options, ...call }: { readonly options?: { readonly prepareStep?: unknown } }): object {
  if (options?.prepareStep === undefined)
    throw badArgument("The agent was called without a turn.", "Call agent.stream({ ...turn.call }).");
  return { ...call, ...options };
}

/** One version: the SDK takes what they stream for that of the first. */
function languagesOf(given: unknown): readonly LanguageModel[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const wrong = list.find((one) => !isLanguageModel(one));
  if (list.length === 0 || wrong !== undefined || given === undefined)
    throw new Problem(
      "bad-model",
      `The \`model\` of charterFor is ${kindOf(list.length === 0 ? given : wrong)}.`,
      'Give a model of the AI SDK: anthropic("claude-…").',
    );
  const languages = list as readonly LanguageModel[];
  if (new Set(languages.map(({ specificationVersion }) => specificationVersion)).size > 1)
    throw new Problem(
      "bad-model",
      "The models of charterFor are made for different versions of the AI SDK.",
      "Use provider packages of one version.",
    );
  return languages;
}

type Marks = Readonly<Record<"foreign" | "sensitive" | "reads", readonly string[] | undefined>>;

function turnTools(given: AiTools, marks: Marks, live: CallsInSdk): Tool[] {
  if (!isObject(given) || Array.isArray(given))
    throw badArgument(`The \`tools\` of charterFor are ${kindOf(given)}.`, "Give them by name: { weather: tool(…) }.");
  const names = Object.keys(given);
  for (const [mark, marked = []] of Object.entries(marks)) {
    if (!isList(marked))
      throw badArgument(`The \`${mark}\` of charterFor is ${kindOf(marked)}.`, "Give names of tools.");
    const unknown = marked.filter((name) => !names.includes(name));
    if (unknown.length > 0)
      throw badArgument(
        `The \`${mark}\` of charterFor names ${listed(unknown)}, which is none of its tools.`,
        names.length === 0 ? "Give `tools`, too." : `The tools are ${listed(names)}.`,
      );
  }
  const marksOf = (name: string) =>
    Object.fromEntries(
      Object.entries(marks).flatMap(([mark, marked]) => (marked?.includes(name) ? [[mark, true]] : [])),
    );
  return Object.entries(given).flatMap(([name, tool]) =>
    isProviders(tool) ? [] : [turnTool(name, tool as AiTool, marksOf(name), live)],
  );
}

type GivenCharter = OwnLoop["charter"];

function charterName(charter: GivenCharter): string | undefined {
  return typeof charter === "function" ? undefined : declarationOf(charter).charter.name;
}

function amendedSections(amend: unknown, given: GivenCharter): readonly [string, ...string[]] {
  if (Array.isArray(amend) && amend.length > 0 && amend.every(isText)) return amend as [string, ...string[]];
  if (amend !== true)
    throw badArgument(
      `The \`amend\` of charterFor is ${kindOf(amend)}.`,
      'Give true, or names of sections: ["goals"].',
    );
  if (typeof given === "function")
    throw badArgument(
      "The charter of charterFor is declared for each turn: its sections are not known yet.",
      'Name those the model may change: { amend: ["goals"] }.',
    );
  const { charter } = declarationOf(given);
  const own = allSections(charter).filter(({ section, layer }) => {
    const mutability = sectionMutability(section, layer);
    return typeof mutability === "object" && mutability.amendableBy.includes("agent");
  });
  const [first, ...others] = own.map(({ section }) => section.name);
  if (first !== undefined) return [first, ...others];
  throw badArgument(
    `No section of the charter “${charter.name}” is amendable by the agent.`,
    'Declare one: mutability: { amendableBy: ["agent"] }; or leave `amend` out.',
  );
}
