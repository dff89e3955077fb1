import { aStore, howToEmbed, isMemoryOptions, type MemoryOptions } from "../agent/agent-options.ts";
import type { Declaration } from "../agent/declaration.ts";
import type { Limits } from "../agent/limits.ts";
import { isStandardSchema, type StandardSchema } from "../agent/schema.ts";
import type { Tools } from "../agent/toolset.ts";
import { isWindow } from "../agent/turn/window.ts";
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
import type { Workbench } from "./workbench.ts";

/** What `createHost` is given: a store; everything else has a default. */
export type HostOptions = {
  readonly store: Store;
  /** API keys and addresses of models. */
  readonly env?: Environment;
  /**
   * The model of agents that name none; that of the first provider whose key is set, unless given. Of a list, the first is
   * asked, and the next on an outage.
   */
  readonly model?: string | readonly string[] | undefined;
  /** The most tokens that model takes, if you know it better. An agent's settings may say another. */
  readonly window?: number | undefined;
  /** Models of your own, by name; a name in it is taken before one of a provider. */
  readonly models?: ModelTable | undefined;
  /** How other models are loaded by their names: by their providers' keys, unless given. */
  readonly loadModel?: ModelLoader;
  /** Tools for all its agents, or by agent and channel. */
  readonly tools?: HostTools | undefined;
  /** Charters of your own, by the names that agents have them by: a charter, a declaration, or a function from facts to either. */
  readonly charters?: HostCharters | undefined;
  /** Channels besides the usual ones, with their guidance. */
  readonly channels?: Channels | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** The time zone of users who have set none. */
  readonly zone?: string | undefined;
  /** The path of the lock file, if it is not the usual one. */
  readonly lock?: string | undefined;
  /** Called before an agent's charter is loaded: a charter's file is code. Throw to refuse it. */
  readonly checkCharter?: ((agent: AgentRecord) => Promise<void>) | undefined;
  /** Called before a model is loaded: words and keys go there. Throw to refuse it. */
  readonly checkModel?: (() => Promise<void>) | undefined;
  /** The directory whose files are shown in the prompts of coding agents; that of this process, unless given. */
  readonly directory?: string | undefined;
  /** Where the keys of residents are, by the names their settings `memory` give them; or a function that says so. */
  readonly keys?: HostKeys | undefined;
  /** Agents that are reached over ACP, by the names in their models `acp/<name>`; or a function that says so. */
  readonly acp?: HostAcp | undefined;
  /** MCP servers whose tools agents may have, by the names that their settings `mcp` give; or a function that says so. */
  readonly mcp?: HostMcp | undefined;
  /** Where directories are made for agents over ACP, one per agent and user: ~/.charter/acp, unless given. */
  readonly acpHome?: string | undefined;
  /** With what notes are found by their meaning as well; by their words alone, unless given. */
  readonly memory?: MemoryOptions | undefined;
  /** What the context of turns must be: a schema of zod, valibot, arktype or the like. Anything, unless given. */
  readonly context?: StandardSchema | undefined;
  /** The context of a turn is stored with it. It is not, unless given. */
  readonly keepContext?: boolean | undefined;
  readonly clock?: () => Date;
};

/** The tools a host gives its agents: the same to all, or by agent and channel. */
export type HostTools = Tools | ((about: { readonly agent: string; readonly channel: string | undefined }) => Tools);

/** What of a configuration holds for every turn, wherever it runs. */
const turnSettings = [
  ...(["model", "models", "window", "limits", "tools", "charters", "channels", "zone", "lock"] as const),
  ...(["keys", "acp", "mcp", "memory", "context", "keepContext"] as const),
] as const;

type TurnSettings = Pick<HostOptions, (typeof turnSettings)[number]>;

/** Those settings of a configuration, for `createHost`. */
export function turnSettingsIn(config: TurnSettings): TurnSettings {
  return Object.fromEntries(turnSettings.map((name) => [name, config[name]]));
}

/** Where the operator asks an agent, at this machine: at a terminal, or in an editor. */
export type HostPlace = {
  /** The directory it works in, with its files and whether they are trusted; for an agent that needs files. */
  readonly workbench?: Workbench | undefined;
  /** Adds what whoever asks brings, such as an editor's own words. */
  readonly extend?: ((declaration: Declaration) => Declaration) | undefined;
  /** Models that are asked instead of the agent's own. */
  readonly model?: string | readonly string[] | undefined;
  /** The most tokens that the first takes; null: what is set for the agent is of another model. */
  readonly window?: number | null | undefined;
  /** The agent's settings in the store are not used: nobody trusts them here. */
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
  clock: optional([isFunction, "Give a function: () => new Date()."]),
};

export function checkHostOptions(given: HostOptions): void {
  checkOptions("createHost", given, checks);
  checkCharterNames(given.charters ?? {}, { place: "createHost", code: "bad-argument" });
}
