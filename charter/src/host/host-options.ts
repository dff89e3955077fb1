import type { Limits } from "../agent/limits.ts";
import type { StandardSchema } from "../agent/standard-schema.ts";
import type { Tools } from "../agent/tool-list.ts";
import type { MemoryOptions } from "../agent/tools/memory-options.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import type { ModelLoader } from "../delivery/models/given-model.ts";
import type { Environment } from "../delivery/models/provider.ts";
import type { ModelTable } from "../delivery/models/table/model-entry.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { Store } from "../store/store.ts";
import type { HostKeys } from "./core-memory.ts";
import type { HostMcp } from "./mcp/agent-mcp.ts";
import type { HostAcp } from "./models/acp.ts";

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
  /** Channels besides the usual ones, with their guidance. */
  readonly channels?: Channels | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** The time zone of users who have set none. */
  readonly zone?: string | undefined;
  /** The path of the lock file, if it is not the usual one. */
  readonly lock?: string | undefined;
  /** Called before an agent's charter is loaded: a charter's file is code. Throw to refuse it. */
  readonly checkCharter?: ((agent: AgentRecord) => Promise<void>) | undefined;
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
