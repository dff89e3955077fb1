import type { Scope } from "../../amend/amendment.ts";
import type { Model } from "../../delivery/model.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import type { Room } from "../../prompt/room.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import type { Store } from "../../store/store.ts";
import type { Watcher } from "../agent-event.ts";
import type { AttachmentSettings } from "../attachments/attachment-settings.ts";
import type { Declaration } from "../declaration.ts";
import type { Hook } from "../hook.ts";
import type { Limits } from "../limits.ts";
import type { StandardSchema } from "../standard-schema.ts";
import type { Toolset } from "../toolset.ts";
import type { Allowances } from "./asking/ask-reason.ts";
import type { LiveSessions } from "./live-session.ts";
import type { LearnedWindows } from "./window/window.ts";

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
