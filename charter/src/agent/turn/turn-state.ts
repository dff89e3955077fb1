import type { Scope } from "../../amend/amendment.ts";
import type { Delivery } from "../../delivery/deliver.ts";
import type { Message, Model, ModelRequest, PreparedSession, SentBody, Usage } from "../../delivery/model.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import type { Room } from "../../prompt/assemble.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { Notice, Readings, SourceContext } from "../../prompt/reading.ts";
import type { CacheTokens, SectionText } from "../../prompt/receipt.ts";
import type { Attachment, ForeignText, StepResult as RecordedResult } from "../../prompt/step-result.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import type { Store } from "../../store/store.ts";
import type { TurnHints } from "../../store/turns/turn.ts";
import type { AttachmentSettings } from "../attachments.ts";
import type { Declaration } from "../declaration.ts";
import type { Hook, Hooks } from "../hook.ts";
import type { Limits } from "../limits.ts";
import type { OutputFormat, StandardSchema } from "../schema.ts";
import type { Toolset } from "../toolset.ts";
import type { Emit, RunTurnOptions, TurnPhase, Watcher } from "../turn-interface.ts";
import { type Allowances, type AskMode, openTexts } from "./ask-reason.ts";
import type { LiveSession, LiveSessions } from "./live-session.ts";
import type { CompareUsers } from "./second-user.ts";
import type { LearnedWindows } from "./window.ts";

/** The identity of a turn, and what it works with: unchanged while one model is asked. */
export type TurnIdentity = {
  readonly id: string;
  readonly scope: Scope;
  /** The input as it was given, before hooks saw it. */
  readonly asked: string;
  /** The part of it that the person typed, where that is known. */
  readonly typed: string | undefined;
  /** The attachments that came with it, as the turn's record has them. */
  readonly attachments: readonly Attachment[];
  readonly channel: string | undefined;
  readonly zone: string | undefined;
  /** The context that was given with the turn. */
  readonly context: unknown;
  /** The required form of its answer, if any. */
  readonly output: OutputFormat | undefined;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly hooks: Hooks;
  readonly session: LiveSession;
  readonly declaration: Declaration;
  readonly toolset: Toolset;
  readonly tokenizer: Tokenizer;
  /** Says that the turn was taken at the operator's own door, not by a service. */
  readonly operator: boolean;
  /** Asks the person at the door about a call that would have to wait for approval. */
  readonly approve: RunTurnOptions["approve"];
  /** Asks the client to run calls of its own tools. */
  readonly onClientCalls?: RunTurnOptions["onClientCalls"] | undefined;
  readonly ask: AskMode;
  /** The hook that handled the input itself. */
  readonly handledBy: string | undefined;
};

/** The progress of a turn. */
export type TurnProgress = {
  phase: TurnPhase;
  /** The user's message as the model reads it. */
  input: string;
  /** Says that the input is already among the messages. */
  inputAdded: boolean;
  /** The messages of this turn so far. */
  messages: readonly Message[];
  /** Numbers of the steps whose answers are among the messages. */
  ownSteps: readonly number[];
  /** Says that the model was told once that its answer did not fit its type. */
  corrected: boolean;
  /** Says that the model was told once that its answer was empty. */
  wasEmpty: boolean;
  /** Texts of the answers, in a row, that the provider interrupted. */
  paused: readonly string[];
  /** Says that reasoning was given up once because it was bound to other messages. */
  unbound: boolean;
  /** The tokens of the last request, made or refused, and those of it that are no history. */
  size: { readonly total: number; readonly besides: number } | undefined;
  /** Tokens of the results of the last answer's calls so far. */
  resultTokens: number;
  /** The last recorded step. */
  step: number;
  callCount: number;
  /** Says that calls which a person had approved ran in it. */
  ranApprovedCalls: boolean;
  readonly callsByTool: Map<string, number>;
  tainted: boolean;
  /** The texts of others that came with it, and were not in its session before. */
  foreign: readonly ForeignText[];
  rebuildReason: string | undefined;
  /** The slot of the system prompt in a receiver that keeps the conversation, and whether the conversation is new to it. */
  prepared: PreparedSession | undefined;
  /** Ids of requests for permission that a person approved, by what is asked: the receiver may do each once in this turn. */
  readonly allowances: Map<string, string[]>;
  /** Number of its requests for permission that were held. */
  permissionsHeld: number;
  readonly notices: Notice[];
  /** The result of the running step, as far as it is known. */
  stepResult: StepResult;
  /** Number of answers; one that only summarises the history does not count. */
  stepCount: number;
  /** The running step, from its assembly until it is answered. */
  attempt: StepAttempt | undefined;
};

/** A step that is not answered yet: its prompt, its receiver and its limits. */
export type StepAttempt = {
  prompt: Prompt;
  /** The model it was assembled for. */
  receiver: string;
  /** Says that the history was checked for being too long for this model. */
  isHistoryChecked: boolean;
  /**
   * Maximum number of tokens of its request, where that is known; and the share of the room that stays history once a request
   * exceeds it.
   */
  limit: number | null;
  share: number;
  /** The recorded request, once it is. */
  sent: SentStep | undefined;
};

/** A request as it is recorded: before hooks saw it, as it goes out, and when. */
export type SentStep = { readonly delivery: Delivery; readonly hooked: Delivery; readonly askedAt: number };

/** The words of the prompt in a turn. */
type TurnWords = {
  /** The time that sources are told: the turn's, so that a clock moves once a turn. */
  now: string | undefined;
  readings: Readings;
  /** The standing texts of the same reading. */
  standing: SourceContext["standing"];
  prompt: Prompt | undefined;
  /** Text that hooks added to the prompt for this turn, or put in its place. */
  hookAdditions: readonly SectionText[];
  hookReplacement: SectionText | undefined;
};

/** The cost of a turn. */
export type TurnBill = {
  /** The predicted bill of the last request. */
  predicted: CacheTokens | undefined;
  usage: Usage;
  cost: number | null;
  /** Second opinions, each with the step it is stored with once there is one. */
  opinions: readonly (OpinionBill & { readonly step?: number })[];
  /** The part of the cost that is not recorded yet, in dollars. */
  unrecordedSpend:
    | { readonly receiver: string; readonly usage: Usage; readonly cost: number; readonly priced: boolean }
    | undefined;
};

/** A turn while it runs. A function takes the parts it reads or changes, so that its signature says which. */
export type TurnState = {
  /** Replaced when another model takes over, which may count with another tokenizer and take other tools. */
  who: TurnIdentity;
  readonly terms: TurnTerms;
  /** Taken by another model on an outage. */
  seat: Seat;
  readonly progress: TurnProgress;
  readonly words: TurnWords;
  readonly bill: TurnBill;
};

/** The same, for a function that changes nothing of it. */
export type TurnView = {
  readonly [Part in keyof TurnState]: Readonly<TurnState[Part]>;
};

export function addNotice(emit: Emit, notices: Notice[], one: Notice): void {
  const known = notices.some(({ code, message }) => code === one.code && message === one.message);
  if (known) return;
  notices.push(one);
  emit({ kind: "notice", notice: one });
}

/** Notices that somebody's words carried the session's mark, and go on without it. */
export function noticeMarkRemoved({ emit }: Pick<TurnIdentity, "emit">): void {
  const message = "Words that carried the session's mark were made plain.";
  emit({ kind: "notice", notice: { code: "mark-neutralised", message } });
}

/** Taints a turn by a foreign text, which the session remembers once; not by a picture that is the user's own. */
export function taint(
  { who: { session, emit }, progress }: Pick<TurnState, "who" | "progress">,
  reason: string,
  text: ForeignText,
): void {
  if (!session.texts.some(({ key }) => key === text.key)) {
    session.texts = [...session.texts, text];
    progress.foreign = [...progress.foreign, text];
  }
  if (progress.tainted || openTexts(session.texts).length === 0) return;
  progress.tainted = true;
  emit({ kind: "tainted", reason });
}

/** Returns what is recorded of a turn's taint, with whatever is recorded of it. */
export function taintOf({
  tainted,
  foreign,
}: Pick<TurnProgress, "tainted" | "foreign">): Pick<TurnHints, "tainted" | "foreign"> {
  return tainted ? { tainted, foreign } : {};
}

/** Enters a phase of the turn, and tells watchers. Guards and tools ask for the current phase. */
export function enterPhase({ who, progress }: Pick<TurnState, "who" | "progress">, phase: TurnPhase): void {
  if (progress.phase === phase) return;
  progress.phase = phase;
  who.emit({ kind: "phase", phase });
}

/** The user, the channel and the time of a turn, by which a charter may be declared. */
export type DeclareOptions = Scope & {
  readonly channel?: string | undefined;
  readonly now: string;
  /** The turn's id, if the caller gave it one or it has begun. */
  readonly turn?: string | undefined;
  /** Says that the turn is already recorded. */
  readonly begun?: boolean | undefined;
};

/** A model, or the name it is loaded by. */
export type ModelChoice = Model | string;

/** Declares the charter of a turn for a receiver: for one that takes no tools, without words on tools. */
export type Declare = (turn: DeclareOptions, receiver: Receiver) => Promise<Declaration>;

/** The parts that an agent's turns share: made once, with the agent. */
export type AgentDeps = {
  readonly name: string;
  readonly declare: Declare;
  /** All its models, in the order they are asked; names are loaded when they are needed. */
  readonly models: readonly [Model, ...ModelChoice[]];
  readonly store: Store;
  readonly toolsetFor: (declaration: Declaration, receiver: Receiver) => Promise<Toolset>;
  readonly tokenizerFor: (receiver: Receiver) => Promise<Tokenizer>;
  /** Says that its models can be asked to summarise a history: those of a loop of your own only if it has a function for that. */
  readonly summarises: boolean;
  readonly hooks: readonly Hook[];
  /** The schema for the context of a turn, and whether the context is stored. */
  readonly context: { readonly schema: StandardSchema | undefined; readonly keep: boolean };
  /** The limits and the room that were set for the agent. */
  readonly asked: {
    readonly limits?: Partial<Limits> | undefined;
    readonly compactAt?: number | undefined;
    readonly room?: Room | undefined;
    readonly window?: number | undefined;
  };
  readonly whenTainted: "hold" | "refuse";
  /** The tools that people have allowed for the rest of a session. */
  readonly allowances: Allowances;
  readonly attachments: AttachmentSettings;
  /** The adviser to ask about changes, whatever the agent's settings say; and the function that loads a model by its name. */
  readonly secondOpinion: {
    readonly model: Model | string | undefined;
    readonly loadModel: (name: string) => Promise<Model>;
  };
  readonly watcher: Watcher | undefined;
  readonly sessions: LiveSessions;
  readonly windows: LearnedWindows;
  /** Says that one session has all channels: each message says by which it came. */
  readonly across: boolean;
  readonly clock: () => Date;
  readonly random: () => number;
  readonly newSecret: () => string;
  /** Says that the door is the operator's: turns without a user are the operator's own, not jobs. */
  readonly operator: boolean;
  /** Compares what its users are sent, for its operator. */
  readonly compareUsers: CompareUsers;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly runner: string;
};

/** The terms of one turn: those of the agent, of its charter as declared now, and of this turn alone. */
export type TurnTerms = {
  readonly declare: Declare;
  readonly limits: Limits;
  readonly room: Room;
  /** Number of tokens of history above which it is compacted; by the window, unless given. */
  readonly compactAt: number | undefined;
  /** Maximum number of tokens of a request to the first model, where that was set. */
  readonly window: number | undefined;
};

/** The model's place in a turn: the model that is asked now, its limits, and who would be asked next. */
export type Seat = {
  /** The model, with its window in this turn, and without the kinds of attachments it was found not to take. */
  readonly model: Model;
  /** Models to ask if this one cannot answer, in this step. */
  readonly next: readonly ModelChoice[];
  /** Number of tokens of history above which it is compacted; infinite while the window is unknown. */
  readonly compactAt: number;
};

/** The cost of a second opinion, in dollars; null where the model's price is not known. And its request. */
export type OpinionBill = {
  readonly model: string;
  readonly usage: Usage;
  readonly cost: number | null;
  readonly request?: ModelRequest;
  readonly sent?: SentBody;
};

/** A result as it is stored: with its whole text, if it was shortened for the model. */
export type KeptResult = NonNullable<RecordedResult["results"]>[number];

/**
 * The recorded result of a step, with types for requests that the lower floor does not know: how it was sent, and how opinions
 * were asked for.
 */
export type StepResult = Omit<RecordedResult, "sent" | "opinions"> & {
  readonly sent?: SentBody;
  readonly opinions?: readonly OpinionBill[];
};
