import { type AiSdkRequest, toAiSdk } from "../../delivery/converters/ai-sdk.ts";
import type { ModelRequest } from "../../delivery/model.ts";
import { modelOf } from "../../delivery/models/language.ts";
import { isLanguageModel, type LanguageModel } from "../../delivery/models/model-entry.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { badArgument, isList, isObject, isText, kindOf } from "../../prompt/argument.ts";
import { allSections, mayAmend } from "../../prompt/charter.ts";
import { listed, Problem } from "../../prompt/problem.ts";
import type { Notice } from "../../prompt/reading.ts";
import type { Store } from "../../store/store.ts";
import { declarationOf } from "../bare-declaration.ts";
import type { SchemaInput, StandardSchema } from "../schema.ts";
import { type OwnLoop, openTurn } from "../session.ts";
import type { Tool } from "../tool.ts";
import { modifySystemPrompt } from "../tools/own-prompt.ts";
import type { AiTool } from "../toolset.ts";
import type { TurnStop } from "../turn/open-turn.ts";
import { readResultOffer } from "../turn/room.ts";
import type { AgentEvent, RunTurnOptions, TurnInput, TurnOutcome } from "../turn-interface.ts";
import { anySchema, type CallsInSdk, createCalls, isProviders, turnTool } from "./sdk-calls.ts";
import {
  answerWords,
  type ChatMessage,
  decideCalls,
  isPastEdited,
  newMessageOf,
  pageApprovals,
  steeringWords,
} from "./sdk-message.ts";
import { createSeat } from "./sdk-seat.ts";

/** The tools of a loop that is given none. */
type NoTools = Readonly<Record<never, object>>;

type Names<Tools> = readonly (keyof Tools & string)[];

/** Options of `charterFor`: those of `createAgent`, with models and tools as the AI SDK has them. */
export type CharterForOptions<
  Tools extends AiTools = NoTools,
  Context extends StandardSchema = StandardSchema,
  Model extends LanguageModel = LanguageModel,
> = Omit<OwnLoop<Context>, "receiver" | "takesOutput" | "summarise" | "tools"> & {
  /** A model of the AI SDK. Of a list, the first is asked; on an outage the next, in the same step. */
  readonly model: Model | readonly [Model, ...Model[]];
  /** Facts about the first model that you know better than its name says (`receiverOf`). */
  readonly receiver?: Receiver;
  /** Tools of the AI SDK, by name. Each has an `execute`, or is its provider's own. */
  readonly tools?: Tools;
  /** Names of tools whose results are your program's own words. Those of others are quoted, and taint the session. */
  readonly trusted?: Names<Tools>;
  /** Names of tools that change nothing: calls of one answer run side by side. All others run one after the other. */
  readonly reads?: Names<Tools>;
  /** Names of tools that may run in a tainted session. Unless named here or in `reads`, a person approves the call first. */
  readonly harmless?: Names<Tools>;
  /** Sections of its prompt that the model may change; with `true`, all that are amendable by the agent. */
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
  /** Settings for `new ToolLoopAgent({ ...loop.agent })`, which is called only with a turn's `call`. */
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
  const { model, receiver, tools: givenTools, trusted, reads, harmless, amend, ...rest } = options;
  const live: CallsInSdk = new Map();
  const marks = { trusted, reads, harmless };
  const tools = [
    ...turnTools(givenTools ?? {}, marks, live),
    ...(amend === undefined ? [] : [modifySystemPrompt({ section: amendedSections(amend, rest.charter) })]),
  ];
  const languages = languagesOf(model);
  const models = languages.map((one, index) => modelOf(one, index === 0 ? receiver : undefined));
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
    operator: rest.operator ?? false,
    given: givenTools ?? {},
    readers: new Set<string>(reads),
    live,
    languages: new Map(models.map(({ receiver }, index) => [receiver.name, languages[index] as LanguageModel])),
  };
  return {
    turn: (asked) => openAiTurn(parts, asked) as Promise<unknown> as Promise<AiTurn<Tools, Model>>,
    agent: {
      model: languages[0] as Model,
      tools: (givenTools ?? {}) as Tools,
      allowSystemInMessages: true,
      callOptionsSchema: anySchema({}) as never,
      prepareCall: preparedCall as never,
    },
  };
}

/** Replaces an agent's settings by those of the turn. */
function preparedCall({ options, ...call }: { readonly options?: { readonly prepareStep?: unknown } }): object {
  if (options?.prepareStep === undefined)
    throw badArgument("The agent was called without a turn.", "Call agent.stream({ ...turn.call }).");
  return { ...call, ...options };
}

/** Checks the models. They must be of one version: the SDK reads each one's stream as the first's. */
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

type Marks = Readonly<Record<"trusted" | "reads" | "harmless", readonly string[] | undefined>>;

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
  const own = allSections(charter).filter((placed) => mayAmend(placed, "agent"));
  const [first, ...others] = own.map(({ section }) => section.name);
  if (first !== undefined) return [first, ...others];
  throw badArgument(
    `No section of the charter “${charter.name}” is amendable by the agent.`,
    'Declare one: mutability: { amendableBy: ["agent"], scope: "agent" }; or leave `amend` out.',
  );
}

/** Options of a turn: `messages`, of which the last is taken, or an `input`; and the options of `runTurn`. */
export type AiTurnInput<Context = unknown> = Omit<TurnInput<Context>, "input"> &
  RunTurnOptions & {
    readonly messages?: readonly ChatMessage[];
    readonly input?: TurnInput["input"];
  };

/** Facts about a turn that a page gets with the answer. */
export type TurnMetadata = {
  readonly turn: string;
  readonly session: string;
  readonly notices: readonly Notice[];
  /** Calls that wait for a person: `charter approve <id>`. */
  readonly held: readonly { readonly id: string; readonly tool: string; readonly call: string }[];
  /** Says that earlier messages were edited on the page: this is a new session, which begins with the unedited ones. */
  readonly edited?: true;
};

/** The words of a step for the AI SDK, exactly as the turn sends them. */
type StepWords = Pick<AiSdkRequest, "instructions" | "messages">;

/** Fields that are read of the SDK's description of a step. */
type SdkStep = { readonly stepNumber: number; readonly experimental_steeringMessages?: readonly ChatMessage[] };

/** Tools of the AI SDK, by name; described by their shape, so the SDK need not be installed. */
export type AiTools = Readonly<Record<string, object>>;

/** Settings for `streamText`, `generateText` and a call of a `ToolLoopAgent`. */
export type AiSettings<Tools extends AiTools = AiTools, Model extends LanguageModel = LanguageModel> = StepWords & {
  readonly model: Model;
  readonly tools: Tools;
  readonly allowSystemInMessages: true;
  readonly abortSignal: AbortSignal;
  readonly maxRetries: 0;
  /** Number of retries for an answer that breaks off: as many as the turn's own limits allow. */
  readonly streamRetries: number;
  readonly stopWhen: () => boolean;
  /**
   * Prepares a step. From the second step on it takes messages that steer the turn, between answers. Files in them are not taken.
   */
  readonly prepareStep: (step?: SdkStep) => Promise<StepWords>;
  /**
   * Shows a page the calls that wait, and the results of those it answered. Other transforms come after it: `[this,
   * smoothStream()]`.
   */
  readonly experimental_transform: () => TransformStream<unknown, never>;
  readonly onStepError: (event: { readonly error: unknown }) => Promise<void>;
  readonly onAbort: () => Promise<void>;
  /** Ends a turn that the loop leaves before there is an answer; with one of your own in its place, call `turn.end()`. */
  readonly onEnd: () => Promise<void>;
};

/** A turn that a loop of the AI SDK runs. */
export type AiTurn<Tools extends AiTools = AiTools, Model extends LanguageModel = LanguageModel> = {
  readonly id: string;
  readonly session: string;
  /** Settings for `streamText({ ...turn.settings })` or `generateText`. */
  readonly settings: AiSettings<Tools, Model>;
  /** Settings for `agent.stream({ ...turn.call })` of a `ToolLoopAgent` that was made with the loop's `agent`. */
  readonly call: Pick<AiSettings<Tools, Model>, "messages" | "abortSignal" | "experimental_transform" | "onEnd"> & {
    readonly options: AiSettings<Tools, Model>;
  };
  /** Metadata for `toUIMessageStream({ messageMetadata: turn.metadata })`: given when the answer begins, and when it ends. */
  readonly metadata: (about?: { readonly part: { readonly type: string } }) => TurnMetadata | undefined;
  /** The turn's outcome, when it has ended. */
  readonly outcome: Promise<TurnOutcome>;
  /** Ends the turn before the loop does: with an abort, unless a problem is given. */
  readonly end: (stop?: TurnStop) => Promise<TurnOutcome>;
};

/** The parts that the turns of a loop share. */
type AiLoopParts = {
  readonly loop: OwnLoop;
  readonly store: Store;
  readonly agent: string | undefined;
  readonly operator: boolean;
  readonly given: AiTools;
  readonly readers: ReadonlySet<string>;
  readonly live: CallsInSdk;
  readonly languages: ReadonlyMap<string, LanguageModel>;
};

/** Opens a turn and makes its first request, so that whatever is wrong with it is thrown here, before anything streams. */
async function openAiTurn(parts: AiLoopParts, asked: AiTurnInput): Promise<AiTurn> {
  const { messages, input, signal, on, approve, ask, ...about } = checkedTurn(asked);
  const incoming = messages === undefined ? undefined : newMessageOf(messages);
  const { store, agent, live, operator } = parts;
  // A page shows a session to somebody, and a job is nobody's.
  const wanted = about.session ?? (about.user === null && !operator ? "none" : incoming?.session);
  const isEdited =
    incoming && agent !== undefined && (await isPastEdited(incoming, wanted, { store, agent, ...about }));
  const session = isEdited ? "new" : wanted;
  const begins = isEdited && incoming.turn !== undefined && about.user !== null ? { beginsAfter: incoming.turn } : {};
  const decided =
    incoming && agent !== undefined ? await decideCalls(incoming.answers, { store, agent, ...about }) : [];
  const words = incoming ? (incoming.input ?? answerWords(decided)) : (input as string);
  const page = pageApprovals({ store, isAsked: about.user !== null, decided: incoming?.input ? [] : decided });
  const notices: Notice[] = [];
  const held: TurnMetadata["held"][number][] = [];
  const outcome = Promise.withResolvers<TurnOutcome>();
  const watch = (event: AgentEvent) => {
    if (event.kind === "notice") notices.push(event.notice);
    if (event.kind === "tool-held") held.push({ id: event.held, tool: event.call.name, call: event.call.id });
    page.watch(event);
    if (event.kind === "turn-end") {
      outcome.resolve(event.outcome);
      live.delete(event.turn);
    }
    return on?.(event);
  };
  const turn = await openTurn(
    parts.loop,
    { ...about, ...(session === undefined ? {} : { session }), ...begins, input: words },
    { on: watch, ...(signal ? { signal } : {}), ...(approve ? { approve } : {}), ...(ask ? { ask } : {}) },
  );
  const first = await turn.next().catch(async (problem: unknown) => {
    await turn.end({ problem });
    throw problem;
  });
  const { given, readers, languages } = parts;
  const calls = createCalls({ turn, given, offers: [...first.request.tools, readResultOffer], readers, live });
  /** Waits until no tool runs any more, records calls that were not run as such, and ends the turn. */
  const stop = async (why: TurnStop): Promise<TurnOutcome> => {
    await calls.settle().catch(() => {});
    return turn.end({ partial: seat.draft(), ...why });
  };
  const seat = createSeat({ turn, calls, languages, stop });
  turn.signal.addEventListener("abort", () => {
    stop({ aborted: true }).catch(() => {});
  });
  /** Shows the SDK and its telemetry what is really sent; messages that steer the turn stay in the SDK's form. */
  const shown = async ({ stepNumber, experimental_steeringMessages: steering = [] }: SdkStep) => {
    // The first request is recorded already: messages before it belong to the input.
    const taken = stepNumber === 0 ? [] : steering.filter((one) => steeringWords(one) !== "");
    const words = taken.map(steeringWords);
    const { request, receiver } = await seat.next(words);
    const { instructions, messages: sent } = toAiSdk(request, receiver);
    const others = sent.filter((one) => !words.includes(steeringWords(one)));
    return { instructions, messages: [...others, ...(taken as typeof sent)] };
  };
  const stopping = async (why: TurnStop) => {
    await stop(why);
  };
  const settings: AiSettings = {
    model: seat.model,
    tools: calls.tools,
    ...(await shown({ stepNumber: 0 })),
    allowSystemInMessages: true,
    abortSignal: turn.signal,
    maxRetries: 0,
    streamRetries: Number.MAX_SAFE_INTEGER,
    // The turn's own limit of steps stops the loop, too.
    stopWhen: () => !live.has(turn.id),
    prepareStep: (step = { stepNumber: 0 }) => seat.stopping(undefined, shown(step)),
    experimental_transform: page.transform,
    onStepError: ({ error }) => stopping(turn.signal.aborted ? { aborted: true } : { problem: error }),
    onAbort: () => stopping({ aborted: true }),
    onEnd: () => stopping({}),
  };
  const { messages: sent, abortSignal, experimental_transform, onEnd } = settings;
  return {
    id: turn.id,
    session: turn.session,
    settings,
    call: { messages: sent, abortSignal, experimental_transform, onEnd, options: settings },
    metadata: (told) => {
      if (told && told.part.type !== "start" && told.part.type !== "finish") return undefined;
      const now = { notices: [...notices], held: [...held] };
      return { turn: turn.id, session: turn.session, ...now, ...(isEdited ? { edited: true } : {}) };
    },
    outcome: outcome.promise,
    end: (why = { aborted: true }) => stop(why),
  };
}

function checkedTurn(asked: AiTurnInput): AiTurnInput {
  if (!isObject(asked)) throw badArgument(`What turn was given is ${kindOf(asked)}.`, "Give { messages, user }.");
  const both = asked.messages !== undefined && asked.input !== undefined;
  if (both || (asked.messages === undefined && asked.input === undefined))
    throw badArgument(
      both ? "turn was given both `messages` and `input`." : "turn was given neither `messages` nor `input`.",
      "Give one of them.",
    );
  return asked;
}
