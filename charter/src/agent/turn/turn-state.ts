import type { Scope } from "../../amend/amendment.ts";
import type { Delivery } from "../../delivery/deliver.ts";
import type { Message, Model, ModelRequest, PreparedSession, SentBody, Usage } from "../../delivery/model.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import type { Room } from "../../prompt/assemble.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { Notice, Readings, SourceContext } from "../../prompt/reading.ts";
import type { CacheTokens, SectionText } from "../../prompt/receipt.ts";
import type { Attachment, StepResult as RecordedResult } from "../../prompt/step-result.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import type { Store } from "../../store/store.ts";
import type { AttachmentSettings } from "../attachments.ts";
import type { Declaration } from "../declaration.ts";
import type { Hook, Hooks } from "../hook.ts";
import type { Limits } from "../limits.ts";
import type { OutputFormat, StandardSchema } from "../schema.ts";
import type { Toolset } from "../toolset.ts";
import type { Emit, RunTurnOptions, TurnPhase, Watcher } from "../turn-interface.ts";
import type { Allowances, AskMode, ForeignText } from "./ask-reason.ts";
import type { LiveSession, LiveSessions } from "./live-session.ts";
import type { LearnedWindows } from "./window.ts";

/** Whose turn it is, and what it works with: nothing of it changes while one model is asked. */
export type TurnIdentity = {
  readonly id: string;
  readonly scope: Scope;
  /** The input as it was asked, before hooks saw it. */
  readonly asked: string;
  /** What of it the person typed, where that is known. */
  readonly typed: string | undefined;
  /** What came with it, as the turn's record has it. */
  readonly attachments: readonly Attachment[];
  readonly channel: string | undefined;
  readonly zone: string | undefined;
  /** What whoever asked gave with it. */
  readonly context: unknown;
  /** What its answer must be, where anything was said of it. */
  readonly output: OutputFormat | undefined;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly hooks: Hooks;
  readonly session: LiveSession;
  readonly declaration: Declaration;
  readonly toolset: Toolset;
  readonly tokenizer: Tokenizer;
  /** The turn is the operator's own, not one that a service takes for a user. */
  readonly operator: boolean;
  /** Asks whoever is there about a call that would have to wait for approval. */
  readonly approve: RunTurnOptions["approve"];
  readonly ask: AskMode;
  /** The hook that took the input itself. */
  readonly handledBy: string | undefined;
};

/** How far a turn has come. */
export type TurnProgress = {
  phase: TurnPhase;
  /** The user's message, as the model is given it. */
  input: string;
  /** It is among the messages already. */
  inputAdded: boolean;
  /** The messages of this turn so far. */
  messages: readonly Message[];
  /** The steps whose answers are among them, by their numbers. */
  ownSteps: readonly number[];
  /** The model was told what was wrong with its answer. */
  corrected: boolean;
  /** The tokens of the last request that was made or would have been, and those of it that are no history. */
  size: { readonly total: number; readonly besides: number } | undefined;
  /** Tokens of the results that came of the last answer's calls so far. */
  resultTokens: number;
  /** The last step that is on record. */
  step: number;
  callCount: number;
  /** Calls a person had approved were made in it. */
  ranApprovedCalls: boolean;
  readonly callsByTool: Map<string, number>;
  tainted: boolean;
  rebuildReason: string | undefined;
  /** Of a receiver that keeps the conversation: where the system prompt goes, and whether it has anything of it. */
  prepared: PreparedSession | undefined;
  /** What a person has allowed a receiver to do once in this turn: the approved requests by what is asked. */
  readonly allowances: Map<string, string[]>;
  /** So many of its requests for permission were held. */
  permissionsHeld: number;
  readonly notices: Notice[];
  /** What came of the step that is under way, as far as it is known. */
  stepResult: StepResult;
  /** So many answers it had; one that only sums up the history is none of them. */
  stepCount: number;
  /** The step that is under way, from the words it is made of until it is answered. */
  attempt: StepAttempt | undefined;
};

/** A step that is not answered yet: what it is made of, and how often it was asked. */
export type StepAttempt = {
  prompt: Prompt;
  /** The model that was assembled for. */
  receiver: string;
  /** Whether the history is too long for this model was looked at. */
  isHistoryChecked: boolean;
  /** The most tokens of its request, where that is known; and what share of the room stays history once it is over that. */
  limit: number | null;
  share: number;
  /** As it is on record, once it is. */
  sent: SentStep | undefined;
};

/** A request as it is on record: before hooks saw it, as it goes out, and when. */
export type SentStep = { readonly delivery: Delivery; readonly hooked: Delivery; readonly askedAt: number };

/** What the model is told in it. */
type TurnWords = {
  readings: Readings;
  /** The standing texts they were read with. */
  standing: SourceContext["standing"];
  prompt: Prompt | undefined;
  /** What hooks made of the prompt for this turn. */
  hookAdditions: readonly SectionText[];
  hookReplacement: SectionText | undefined;
};

/** What it costs. */
export type TurnBill = {
  /** What the last request was expected to be billed as. */
  predicted: CacheTokens | undefined;
  usage: Usage;
  cost: number | null;
  /** Second opinions, each with the step it is kept with once there is one. */
  opinions: readonly (OpinionBill & { readonly step?: number })[];
  /** What of it is not on record yet, in dollars. */
  unrecordedSpend:
    | { readonly receiver: string; readonly usage: Usage; readonly cost: number; readonly priced: boolean }
    | undefined;
};

/** One turn while it runs. A function takes the parts it reads or changes, and so its signature says which. */
export type TurnState = {
  /** Another model may count with another tokenizer, and take other tools. */
  who: TurnIdentity;
  readonly terms: TurnTerms;
  /** On an outage another model takes it. */
  seat: Seat;
  readonly progress: TurnProgress;
  readonly words: TurnWords;
  readonly bill: TurnBill;
};

/** The same, for a function that changes nothing of it. */
export type TurnView = {
  readonly [Part in keyof TurnState]: Readonly<TurnState[Part]>;
};

export function addNotice(tell: Emit, notices: Notice[], one: Notice): void {
  const known = notices.some(({ code, message }) => code === one.code && message === one.message);
  if (known) return;
  notices.push(one);
  tell({ kind: "notice", notice: one });
}

/** Somebody's words carried the session's mark, and go on without it. */
export function noticeMarkRemoved({ emit: tell }: Pick<TurnIdentity, "emit">): void {
  const message = "Words that carried the session's mark were made plain.";
  tell({ kind: "notice", notice: { code: "mark-neutralised", message } });
}

/** `text`: what came, unless it is in the session already. */
export function taint(
  { who: { session, emit }, progress }: Pick<TurnState, "who" | "progress">,
  reason: string,
  text?: ForeignText,
): void {
  if (text && !session.texts.some(({ key }) => key === text.key)) session.texts = [...session.texts, text];
  if (progress.tainted) return;
  progress.tainted = true;
  emit({ kind: "tainted", reason });
}

/** The turn goes on to a phase, and whoever watches is told. Guards and tools ask for the phase it is in then. */
export function enterPhase({ who, progress }: Pick<TurnState, "who" | "progress">, phase: TurnPhase): void {
  if (progress.phase === phase) return;
  progress.phase = phase;
  who.emit({ kind: "phase", phase });
}

/** Who a turn is for and when: what a charter may be declared by. */
export type DeclareOptions = Scope & {
  readonly channel?: string | undefined;
  readonly now: string;
  /** The turn's id, if whoever asked for the turn gave it one or it has begun. */
  readonly turn?: string | undefined;
  /** It is on record already. */
  readonly begun?: boolean | undefined;
};

/** A model, or the name it is loaded by. */
export type ModelChoice = Model | string;

/** Declares the charter of a turn as a receiver takes it: one that takes no tools is told of none. */
export type Declare = (turn: DeclareOptions, receiver: Receiver) => Promise<Declaration>;

/** What an agent's turns have in common: it is made once, with the agent. */
export type AgentDeps = {
  readonly name: string;
  readonly declare: Declare;
  /** All there are, in the order they are asked; names are loaded when they are needed. */
  readonly models: readonly [Model, ...ModelChoice[]];
  readonly store: Store;
  readonly toolsetFor: (declaration: Declaration, receiver: Receiver) => Promise<Toolset>;
  readonly tokenizerFor: (receiver: Receiver) => Promise<Tokenizer>;
  /** Its models can be asked to sum up a history: those of a loop of somebody's own, if that has a function for it. */
  readonly summarises: boolean;
  readonly hooks: readonly Hook[];
  /** What the context of a turn must be, and whether it is stored. */
  readonly context: { readonly schema: StandardSchema | undefined; readonly keep: boolean };
  /** What was said of limits and room, where anything was. */
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
  /** Who is asked about changes, whatever the agent's settings say; and how a model is found by its name. */
  readonly secondOpinion: {
    readonly model: Model | string | undefined;
    readonly loadModel: (name: string) => Promise<Model>;
  };
  readonly watcher: Watcher | undefined;
  readonly sessions: LiveSessions;
  readonly windows: LearnedWindows;
  /** A session is of all channels: each message says by which it came. */
  readonly across: boolean;
  readonly clock: () => Date;
  readonly random: () => number;
  readonly newSecret: () => string;
  /** All turns are the operator's own. */
  readonly operator: boolean;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly runner: string;
};

/** What holds in one turn: what was said of the agent, of its charter as it is declared now, and of this turn alone. */
export type TurnTerms = {
  readonly declare: Declare;
  readonly limits: Limits;
  readonly room: Room;
  /** So many tokens of history, and it is compacted; by the window, unless given. */
  readonly compactAt: number | undefined;
  /** The most tokens of a request to the first model, where that was said. */
  readonly window: number | undefined;
};

/** The model's place in a turn: who is asked now, within what, and who would be asked next. */
export type Seat = {
  /** With the window it has in this turn, and without the kinds of attachments it was found not to take. */
  readonly model: Model;
  /** Those that are asked if this one cannot answer, in this step. */
  readonly next: readonly ModelChoice[];
  /** So many tokens of history, and it is compacted; infinitely many while the window is unknown. */
  readonly compactAt: number;
};

/** What a second opinion cost, in dollars; null where the model's price is not known. And how it was asked for. */
export type OpinionBill = {
  readonly model: string;
  readonly usage: Usage;
  readonly cost: number | null;
  readonly request?: ModelRequest;
  readonly sent?: SentBody;
};

/** A result as it is kept: with the whole of it, if it was shortened for the model. */
export type KeptResult = NonNullable<RecordedResult["results"]>[number];

/** What is recorded of a step, with what is known here of requests: how it was sent, and how opinions were asked for. */
export type StepResult = Omit<RecordedResult, "sent" | "opinions"> & {
  readonly sent?: SentBody;
  readonly opinions?: readonly OpinionBill[];
};
