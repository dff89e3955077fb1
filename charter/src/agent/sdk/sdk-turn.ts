import { type AiSdkRequest, toAiSdk } from "../../delivery/converters/ai-sdk.ts";
import type { LanguageModel } from "../../delivery/models/model-entry.ts";
import { badArgument, isObject, kindOf } from "../../prompt/argument.ts";
import type { Notice } from "../../prompt/reading.ts";
import type { Store } from "../../store/store.ts";
import { type OwnLoop, openTurn } from "../session.ts";
import type { TurnStop } from "../turn/open-turn.ts";
import { readResultOffer } from "../turn/room.ts";
import type { AgentEvent, RunTurnOptions, TurnInput, TurnOutcome } from "../turn-interface.ts";
import { answerWords, decideCalls, pageApprovals } from "./sdk-approvals.ts";
import { type CallsInSdk, createCalls } from "./sdk-calls.ts";
import { type ChatMessage, isPastEdited, newMessageOf, steeringWords } from "./sdk-message.ts";
import { createSeat } from "./sdk-seat.ts";

/** What a turn is asked: `messages`, of which the last is taken, or an `input`; and what `runTurn` takes besides. */
export type AiTurnInput<Context = unknown> = Omit<TurnInput<Context>, "input"> &
  RunTurnOptions & {
    readonly messages?: readonly ChatMessage[];
    readonly input?: TurnInput["input"];
  };

/** What a page is told with an answer. */
export type TurnMetadata = {
  readonly turn: string;
  readonly session: string;
  readonly notices: readonly Notice[];
  /** Calls that wait for a person: `charter approve <id>`. */
  readonly held: readonly { readonly id: string; readonly tool: string; readonly call: string }[];
  /** What was said before was edited on the page: this is a new session, which begins with what was not. */
  readonly edited?: true;
};

/** What the AI SDK is told of a step: what the turn sends. */
type StepWords = Pick<AiSdkRequest, "instructions" | "messages">;

/** What is read of what the SDK says of a step. */
type SdkStep = { readonly stepNumber: number; readonly experimental_steeringMessages?: readonly ChatMessage[] };

/** Tools of the AI SDK, by name; described by their shape, so the SDK need not be installed. */
export type AiTools = Readonly<Record<string, object>>;

/** What `streamText`, `generateText` and a call of a `ToolLoopAgent` are given. */
export type AiSettings<Tools extends AiTools = AiTools, Model extends LanguageModel = LanguageModel> = StepWords & {
  readonly model: Model;
  readonly tools: Tools;
  readonly allowSystemInMessages: true;
  readonly abortSignal: AbortSignal;
  readonly maxRetries: 0;
  /** An answer that breaks off is asked for again: as often as the turn's own limits allow. */
  readonly streamRetries: number;
  readonly stopWhen: () => boolean;
  /** Takes what steers the turn: from its second step on, between answers. Files in it are not taken. */
  readonly prepareStep: (step?: SdkStep) => Promise<StepWords>;
  /** Shows a page the calls that wait, and what came of those it answered. Others come after it: `[this, smoothStream()]`. */
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
  /** `streamText({ ...turn.settings })`, or `generateText`. */
  readonly settings: AiSettings<Tools, Model>;
  /** `agent.stream({ ...turn.call })` of a `ToolLoopAgent` that was made with the loop's `agent`. */
  readonly call: Pick<AiSettings<Tools, Model>, "messages" | "abortSignal" | "experimental_transform" | "onEnd"> & {
    readonly options: AiSettings<Tools, Model>;
  };
  /** `toUIMessageStream({ messageMetadata: turn.metadata })`: told when the answer begins, and when it ends. */
  readonly metadata: (about?: { readonly part: { readonly type: string } }) => TurnMetadata | undefined;
  /** What came of the turn, when it has ended. */
  readonly outcome: Promise<TurnOutcome>;
  /** Ends the turn before the loop does: with an abort, unless a problem is given. */
  readonly end: (stop?: TurnStop) => Promise<TurnOutcome>;
};

/** What the turns of a loop have in common. */
type AiLoopParts = {
  readonly loop: OwnLoop;
  readonly store: Store;
  readonly agent: string | undefined;
  readonly given: AiTools;
  readonly readers: ReadonlySet<string>;
  readonly live: CallsInSdk;
  readonly languages: ReadonlyMap<string, LanguageModel>;
};

/** Opens a turn and makes its first request: whatever is wrong with it is said here, before anything streams. */
export async function openAiTurn(parts: AiLoopParts, asked: AiTurnInput): Promise<AiTurn> {
  const { messages, input, signal, on, approve, ask, ...about } = checkedTurn(asked);
  const said = messages === undefined ? undefined : newMessageOf(messages);
  const named = about.session ?? said?.session;
  const { store, agent, live } = parts;
  const isEdited = said && agent !== undefined && (await isPastEdited(said, named, { store, agent, ...about }));
  const session = isEdited ? "new" : named;
  const begins = isEdited && said.turn !== undefined && about.user !== undefined ? { beginsAfter: said.turn } : {};
  const decided = said && agent !== undefined ? await decideCalls(said.answers, { store, agent, ...about }) : [];
  const words = said ? (said.input ?? answerWords(decided)) : (input as string);
  const page = pageApprovals({ store, isAsked: about.user !== undefined, decided: said?.input ? [] : decided });
  const notices: Notice[] = [];
  const held: TurnMetadata["held"][number][] = [];
  const over = Promise.withResolvers<TurnOutcome>();
  const watch = (event: AgentEvent) => {
    if (event.kind === "notice") notices.push(event.notice);
    if (event.kind === "tool-held") held.push({ id: event.held, tool: event.call.name, call: event.call.id });
    page.watch(event);
    if (event.kind === "turn-end") {
      over.resolve(event.outcome);
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
  /** Nothing of it runs any more, and what was called and not run is told as such. */
  const stop = async (why: TurnStop): Promise<TurnOutcome> => {
    await calls.settle().catch(() => {});
    return turn.end({ partial: seat.draft(), ...why });
  };
  const seat = createSeat({ turn, calls, languages, stop });
  turn.signal.addEventListener("abort", () => {
    stop({ aborted: true }).catch(() => {});
  });
  /** What the SDK and its telemetry are shown is what is sent; what steers the turn, as the SDK has it. */
  const shown = async ({ stepNumber, experimental_steeringMessages: steering = [] }: SdkStep) => {
    // The first request is on record: what comes before it belongs to the input.
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
    // The turn's own limit of steps stops it, too.
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
    outcome: over.promise,
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
