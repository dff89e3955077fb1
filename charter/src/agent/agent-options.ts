import { type EmbedderChoice, givenEmbedder } from "../delivery/embedder.ts";
import type { Model } from "../delivery/model.ts";
import type { ModelSources } from "../delivery/models/find-model.ts";
import type { ModelLoader } from "../delivery/models/language.ts";
import type { LanguageModel } from "../delivery/models/model-entry.ts";
import {
  anyValue,
  checkOptions,
  type FieldChecks,
  isFunction,
  isList,
  isNumber,
  isObject,
  isText,
  laterChecked,
  optional,
} from "../prompt/argument.ts";
import { checkRoom, type Room } from "../prompt/assemble.ts";
import type { Charter } from "../prompt/charter.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import type { Store } from "../store/store.ts";
import type { AttachmentSettings } from "./attachments.ts";
import type { Declaration } from "./declaration.ts";
import { checkHook, type Hook } from "./hook.ts";
import type { Limits } from "./limits.ts";
import { isStandardSchema, type StandardSchema } from "./schema.ts";
import type { Tools } from "./toolset.ts";
import type { SessionSettings } from "./turn/live-session.ts";
import type { DeclareOptions } from "./turn/turn-state.ts";
import { checkWindow } from "./turn/window.ts";
import type { Watcher } from "./turn-interface.ts";

/** Declares an agent's charter anew for each turn, for charters that depend on the user, the channel or the time. */
export type DeclareTurn = (turn: DeclareOptions) => Charter | Declaration | Promise<Charter | Declaration>;

/** Options of `createAgent`: a charter, a model and a store; everything else has a default. */
export type AgentOptions<Context extends StandardSchema = StandardSchema> = {
  /** The agent's name in the store; the charter's, unless given. */
  readonly name?: string;
  /** A charter, alone or with its rules and tools; or a function that declares it for each turn. */
  readonly charter: Charter | Declaration | DeclareTurn;
  /**
   * A model from `loadModel` or `modelOf`, or one of the AI SDK as it is. Of a list, the first is asked, and on an outage
   * the next, in the same step; those behind the first may be names.
   */
  readonly model: Model | LanguageModel | readonly [Model | LanguageModel, ...(Model | LanguageModel | string)[]];
  readonly store: Store;
  /** Tools beside those the charter brings: a list, or an object by name, which may also contain tools of the AI SDK. */
  readonly tools?: Tools;
  readonly hooks?: readonly Hook[];
  readonly limits?: Partial<Limits>;
  /**
   * The treatment of amendments and of calls that act while untrusted text is in the turn's context: they wait for a person's
   * approval (the default), or are refused.
   */
  readonly whenTainted?: "hold" | "refuse";
  /** Kinds and sizes of attachments that may come with an input, and whether they taint the turn. */
  readonly attachments?: AttachmentSettings;
  /** Limits that replace the charter's own. */
  readonly room?: Room;
  /**
   * Maximum number of tokens of a request, if you know it better than what is known of the model or learned where it is served.
   */
  readonly window?: number;
  /** Number of tokens above which the history is summarised; three fifths of the window, unless given. */
  readonly compactAt?: number;
  /**
   * A model, or its name, that judges whether accepted text of agents and users tries to override. Unless given, the
   * one named in the agent's settings in the store.
   */
  readonly secondOpinion?: Model | LanguageModel | string;
  /** Loads a model by its name; with the API keys of this process, unless given. */
  readonly loadModel?: ModelLoader;
  /** Settings for finding notes by meaning as well; they are found by their words alone, unless given. */
  readonly memory?: MemoryOptions;
  /**
   * The rules by which its turns are put into sessions: the idle hours after which a new one begins, and whether one spans all
   * channels.
   */
  readonly sessions?: SessionSettings;
  /**
   * Says that its turns are taken at the operator's own door, such as a terminal: one without a user (`null`) is the operator's
   * own, with a session that no job and no user gets. Otherwise it is a job.
   */
  readonly operator?: boolean;
  /** A schema for the context of its turns, of zod, valibot, arktype or the like. Any context is accepted, unless given. */
  readonly context?: Context;
  /** Stores the context with each turn, and erases and exports it with the turn. It is not stored, unless given. */
  readonly keepContext?: boolean;
  /** Called with every event of every turn. */
  readonly on?: Watcher;
  /** The tokenizer; its receiver's, unless given, or an estimate if that one's package is not installed. */
  readonly tokenizer?: Tokenizer;
  readonly clock?: () => Date;
  readonly random?: () => number;
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
};

/** The check of a store. */
export const aStore = [isStore, 'Give await createStore(sqlite("charter.db")) of charter/store.'] as const;

function isStore(value: unknown): boolean {
  const { agents, turns } = Object(value) as Partial<Store>;
  return isObject(agents) && isObject(turns);
}

export const howToEmbed =
  'Give { embed: "openai/text-embedding-3-small" }, or an embedder: { embed: { name, embed } }.';

const checks: FieldChecks<AgentOptions> = {
  charter: [
    (value) => value !== undefined,
    "Give a charter, { name, layers }, or one of charter/charters: assistant().",
  ],
  model: [laterChecked, ""],
  store: aStore,
  name: optional([isText, "Give the agent's name."]),
  tools: anyValue,
  hooks: optional([isList, 'Give a list: [{ name, "before-turn": (given) => … }].']),
  limits: optional([isObject, "Give limits by name: { steps: 10 }."]),
  whenTainted: optional([(value) => value === "hold" || value === "refuse", "It is “hold” or “refuse”."]),
  attachments: anyValue,
  room: optional([isObject, "Give limits by name: { tokens: 2000 }."]),
  window: optional([isNumber, "Give a whole number of tokens from 1000 up."]),
  compactAt: optional([isNumber, "Give a number of tokens."]),
  secondOpinion: anyValue,
  loadModel: optional([isFunction, "Give a function from a model's name to the model."]),
  memory: optional([isMemoryOptions, howToEmbed]),
  sessions: anyValue,
  operator: optional([(value) => typeof value === "boolean", "Give true or false."]),
  context: optional([isStandardSchema, "Give a schema of zod (from 3.25 on), valibot, arktype or the like."]),
  keepContext: optional([(value) => typeof value === "boolean", "Give true or false."]),
  on: optional([isFunction, "Give a function that is told of every event."]),
  tokenizer: optional([isTokenizer, 'Give await loadTokenizer("o200k_base") of charter/tokenizer.']),
  clock: optional([isFunction, "Give a function: () => new Date()."]),
  random: optional([isFunction, "Give a function that gives numbers from 0 up to 1."]),
  sleep: optional([isFunction, "Give a function that waits: (milliseconds, signal) => …"]),
};

function isTokenizer(value: unknown): boolean {
  return isFunction((Object(value) as Partial<Tokenizer>).count);
}

/** Checks an agent's options: what it cannot do without, and what would fail only later. */
export function checkAgentOptions(options: AgentOptions): void {
  checkOptions("createAgent", options, checks);
  if (options.room !== undefined) checkRoom("The room of createAgent", options.room);
  checkWindow(options.window);
  for (const [index, hook] of (options.hooks ?? []).entries()) checkHook(hook, index);
}

/** Settings for finding notes by more than their words. */
export type MemoryOptions = {
  /**
   * The maker of vectors for notes: an embedding model's name, as in `openai/text-embedding-3-small`, one of the AI SDK, or `{
   * name, embed }`. Notes and the texts that are searched for are sent there.
   */
  readonly embed: EmbedderChoice;
};

export function isMemoryOptions(value: unknown): boolean {
  return isObject(value) && (value as Partial<MemoryOptions>).embed !== undefined;
}

/** Returns the store with a memory that also finds notes by meaning. */
export function storeWithMeaning(store: Store, memory: MemoryOptions | undefined, sources: ModelSources): Store {
  if (memory === undefined) return store;
  return { ...store, memory: store.memory.withEmbedder(givenEmbedder(memory.embed, sources)) };
}
