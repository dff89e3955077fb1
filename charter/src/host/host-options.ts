import { aStore, howToEmbed, isMemoryOptions, type MemoryOptions } from "../agent/agent-options.ts";
import type { Declaration } from "../agent/declaration.ts";
import type { Limits } from "../agent/limits.ts";
import { isStandardSchema, type StandardSchema } from "../agent/schema.ts";
import type { Tools } from "../agent/toolset.ts";
import { isWindow } from "../agent/turn/window.ts";
import type { AgentEvent } from "../agent/turn-interface.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import type { ModelLoader } from "../delivery/models/language.ts";
import type { ModelTable } from "../delivery/models/model-entry.ts";
import type { Environment } from "../delivery/models/provider.ts";
import {
  anyValue,
  checkOptions,
  type FieldChecks,
  isFunction,
  isObject,
  isText,
  optional,
} from "../prompt/argument.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { Store } from "../store/store.ts";
import type { HostMcp } from "./agent-mcp.ts";
import type { HostKeys } from "./core-memory.ts";
import { checkCharterNames, type HostCharters } from "./load.ts";
import { areModelNames, type HostAcp } from "./models/model-names.ts";
import { checkSources, type HostSources } from "./named-source.ts";
import type { Workbench } from "./workbench.ts";

/** Function that is called with every event of every turn, and with the turn's agent, user and channel. */
export type HostWatcher = (
  event: AgentEvent,
  about: { readonly agent: string; readonly user: string | undefined; readonly channel: string | undefined },
) => void;

/** Options of `createHost`: a store; everything else has a default. */
export type HostOptions = {
  readonly store: Store;
  /** API keys and addresses of models. */
  readonly env?: Environment;
  /**
   * Model of agents that name none; by default that of the first provider whose key is set. Of a list, the first is asked, and
   * the next on an outage.
   */
  readonly model?: string | readonly string[] | undefined;
  /** Maximum tokens of that model, if you know it better. An agent's settings may set another. */
  readonly window?: number | undefined;
  /** Models of your own, by name; they take precedence over a provider's. */
  readonly models?: ModelTable | undefined;
  /** Loader of all other models by name; by default by their providers' keys. */
  readonly loadModel?: ModelLoader;
  /** Tools for all its agents, or by agent and channel. */
  readonly tools?: HostTools | undefined;
  /** Charters of your own, by the names that agents use: a charter, a declaration, or a function from facts to either. */
  readonly charters?: HostCharters | undefined;
  /** Sources that charters in folders may name; or a function that returns them. */
  readonly sources?: HostSources | undefined;
  /** Channels besides the usual ones, with their guidance. */
  readonly channels?: Channels | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** Time zone of users who have set none. */
  readonly zone?: string | undefined;
  /** Path of the lock file, if it is not the usual one. */
  readonly lock?: string | undefined;
  /** Called before an agent's charter is loaded, because a charter's file is code. Throw to refuse it. */
  readonly checkCharter?: ((agent: AgentRecord) => Promise<void>) | undefined;
  /** Called before a model is loaded, because text and keys are sent to it. Throw to refuse it. */
  readonly checkModel?: (() => Promise<void>) | undefined;
  /** Directory whose files are shown in the prompts of coding agents; by default that of this process. */
  readonly directory?: string | undefined;
  /** Keys of residents, by the names in their setting `memory`; or a function that returns them. */
  readonly keys?: HostKeys | undefined;
  /** Agents over ACP, by the names in models `acp/<name>`; or a function that returns them. */
  readonly acp?: HostAcp | undefined;
  /** MCP servers whose tools agents may have, by the names in their setting `mcp`; or a function that returns them. */
  readonly mcp?: HostMcp | undefined;
  /** Directory with the directories of agents over ACP, one per agent and user; by default ~/.charter/acp. */
  readonly acpHome?: string | undefined;
  /** Embedding model that lets notes be found by meaning too; by default they are found by their words alone. */
  readonly memory?: MemoryOptions | undefined;
  /** Schema the context of turns must match, of zod, valibot, arktype or the like; by default anything. */
  readonly context?: StandardSchema | undefined;
  /** Stores the context of a turn with it; by default it is not stored. */
  readonly keepContext?: boolean | undefined;
  /** Called with every event of every turn, as with `host.watch`: for traces, logs and counts. */
  readonly on?: HostWatcher | undefined;
  readonly clock?: () => Date;
};

/** Tools a host gives its agents: the same to all, or by agent and channel. */
export type HostTools = Tools | ((about: { readonly agent: string; readonly channel: string | undefined }) => Tools);

/** Settings of a configuration that apply to every turn, wherever it runs. */
const turnSettings = [
  ...(["model", "models", "window", "limits", "tools", "charters", "sources", "channels", "zone", "lock"] as const),
  ...(["keys", "acp", "mcp", "memory", "context", "keepContext", "on"] as const),
] as const;

type TurnSettings = Pick<HostOptions, (typeof turnSettings)[number]>;

/** Picks those settings from a configuration, for `createHost`. */
export function turnSettingsIn(config: TurnSettings): TurnSettings {
  return Object.fromEntries(turnSettings.map((name) => [name, config[name]]));
}

/** Place where the operator talks to an agent on this machine: a terminal, or an editor. Or a door for users. */
export type HostPlace = {
  /** Says that a service's users talk here: apart from `extend`, everything is as without a place. */
  readonly forUsers?: true;
  /** Directory an agent works in, with its files and whether they are trusted; for an agent that needs files. */
  readonly workbench?: Workbench | undefined;
  /** Adds to the declaration what the place brings, such as an editor's instructions. */
  readonly extend?: ((declaration: Declaration) => Declaration) | undefined;
  /** Models that are asked instead of the agent's own. */
  readonly model?: string | readonly string[] | undefined;
  /** Maximum tokens of the first of them; null: the agent's setting is ignored, because it is for another model. */
  readonly window?: number | null | undefined;
  /** Ignores the agent's settings in the store, because they are not trusted here. */
  readonly withoutSettings?: boolean | undefined;
};

const checks: FieldChecks<HostOptions> = {
  store: aStore,
  env: optional([isObject, "Give the environment that has the keys: process.env."]),
  model: optional([areModelNames, "Give a model's name, as in provider/model, or a list of names."]),
  window: optional([isWindow, "Give a whole number of tokens from 1000 up."]),
  models: anyValue,
  loadModel: optional([isFunction, "Give a function from a model's name to the model."]),
  tools: anyValue,
  sources: anyValue,
  charters: optional([isObject, "Give charters by name: { tally }."]),
  channels: optional([isObject, "Give the guidance of each channel by its name."]),
  limits: optional([isObject, "Give limits by name: { steps: 10 }."]),
  zone: optional([isText, "Give a time zone, as in Europe/Rome."]),
  lock: optional([isText, "Give the path of the lock file."]),
  checkCharter: optional([isFunction, "Give a function that is asked before an agent's charter is loaded."]),
  checkModel: optional([isFunction, "Give a function that is asked before a model is loaded."]),
  directory: optional([isText, "Give the path of a directory."]),
  keys: optional([
    (value) => isObject(value) || isFunction(value),
    'Say where each key is: { ada: { file: "ada.key" } }.',
  ]),
  acp: optional([
    (value) => isObject(value) || isFunction(value),
    'Say how each agent is started: { claude: { command: ["claude-agent-acp"] } }.',
  ]),
  mcp: optional([
    (value) => isObject(value) || isFunction(value),
    'Say how each server is reached: { files: { command: ["npx", "@modelcontextprotocol/server-filesystem", "."] } }.',
  ]),
  acpHome: optional([isText, "Give the path of a directory."]),
  memory: optional([isMemoryOptions, howToEmbed]),
  context: optional([isStandardSchema, "Give a schema of zod (from 3.25 on), valibot, arktype or the like."]),
  keepContext: optional([(value) => typeof value === "boolean", "Give true or false."]),
  on: optional([isFunction, "Give a function that is called with every event: traceTurns({ context, trace })."]),
  clock: optional([isFunction, "Give a function: () => new Date()."]),
};

export function checkHostOptions(given: HostOptions): void {
  checkOptions("createHost", given, checks);
  checkCharterNames(given.charters ?? {}, { place: "createHost", code: "bad-argument" });
  if (typeof given.sources !== "function")
    checkSources(given.sources ?? {}, { place: "createHost", code: "bad-argument" });
}
