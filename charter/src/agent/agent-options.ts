import type { Model } from "../delivery/model.ts";
import type { ModelLoader } from "../delivery/models/given-model.ts";
import type { LanguageModel } from "../delivery/models/language-model.ts";
import {
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
import type { Charter } from "../prompt/charter.ts";
import type { Room } from "../prompt/room.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import type { Store } from "../store/store.ts";
import type { Watcher } from "./agent-event.ts";
import { checkHook } from "./check-hook.ts";
import type { Declaration } from "./declaration.ts";
import type { Hook } from "./hook.ts";
import type { Limits } from "./limits.ts";
import type { Tools } from "./tool-list.ts";
import type { AgentDeps, DeclareOptions } from "./turn/turn-state.ts";

/** Declares an agent's charter anew for each turn. */
export type DeclareTurn = (turn: DeclareOptions) => Charter | Declaration | Promise<Charter | Declaration>;

export type AgentOptions = {
  /** Its name in the store; the charter's, unless said otherwise. */
  readonly name?: string;
  /** A charter, alone or with its rules and tools; or what declares it anew for each turn. */
  readonly charter: Charter | Declaration | DeclareTurn;
  /** One that `loadModel` or `modelOf` gave, or a model of the AI SDK as it is: `openai("gpt-…")`. */
  readonly model: Model | LanguageModel;
  readonly store: Store;
  /** Besides those the charter brings: a list, or an object by name, in which tools of the AI SDK may stand too. */
  readonly tools?: Tools;
  readonly hooks?: readonly Hook[];
  readonly limits?: Partial<Limits>;
  /** What becomes of amendments and sensitive calls in a tainted turn: they wait for a person, or are refused. */
  readonly whenTainted?: "hold" | "refuse";
  readonly room?: Room;
  /** So many tokens of history, and it is compacted; three fifths of the model's window, unless said otherwise. */
  readonly compactAt?: number;
  /**
   * A model, or its name, that is asked whether accepted words of agents and users try to override. The one that the
   * agent's settings in the store name, unless said otherwise.
   */
  readonly secondOpinion?: Model | LanguageModel | string;
  /** How a model is found by its name; by the keys of this process, unless said otherwise. */
  readonly loadModel?: ModelLoader;
  readonly on?: Watcher;
  /** The one its receiver names, unless said otherwise; where the package of that is not installed, the estimate. */
  readonly tokenizer?: Tokenizer;
  readonly clock?: () => Date;
  readonly random?: () => number;
  readonly sleep?: AgentDeps["sleep"];
};

const storeWanted = 'Give await createStore(sqlite("charter.db")) of charter/store.';

export function isStore(value: unknown): boolean {
  const { agents, turns } = Object(value) as Partial<Store>;
  return isObject(agents) && isObject(turns);
}

/** What stands in `charter`, `model` and `tools` is looked at where it is taken. */
const anything = () => true;

const checks: FieldChecks<AgentOptions> = {
  charter: [
    (value) => value !== undefined,
    "Give a charter, { name, layers }, or one of charter/charters: assistant().",
  ],
  model: [laterChecked, ""],
  store: [isStore, storeWanted],
  name: optional([isText, "Give the agent's name."]),
  tools: [anything, ""],
  hooks: optional([isList, 'Give a list: [{ name, "before-turn": (given) => … }].']),
  limits: optional([isObject, "Give limits by name: { steps: 10 }."]),
  whenTainted: optional([(value) => value === "hold" || value === "refuse", "It is “hold” or “refuse”."]),
  room: optional([isObject, "Give limits by name: { tokens: 2000 }."]),
  compactAt: optional([isNumber, "Give a number of tokens."]),
  secondOpinion: [anything, ""],
  loadModel: optional([isFunction, "Give a function from a model's name to the model."]),
  on: optional([isFunction, "Give a function that is told of every event."]),
  tokenizer: optional([isTokenizer, 'Give await loadTokenizer("o200k_base") of charter/delivery.']),
  clock: optional([isFunction, "Give a function: () => new Date()."]),
  random: optional([isFunction, "Give a function that gives numbers from 0 up to 1."]),
  sleep: optional([isFunction, "Give a function that waits: (milliseconds, signal) => …"]),
};

function isTokenizer(value: unknown): boolean {
  return isFunction((Object(value) as Partial<Tokenizer>).count);
}

/** What an agent cannot do without, and what it would stumble over later. */
export function checkAgentOptions(options: AgentOptions): void {
  checkOptions("createAgent", options, checks);
  for (const [index, hook] of (options.hooks ?? []).entries()) checkHook(hook, index);
}
