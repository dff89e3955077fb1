import type { Limits } from "../agent/limits.ts";
import type { Tools } from "../agent/tool-list.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import type { ModelLoader } from "../delivery/models/given-model.ts";
import type { Environment } from "../delivery/models/provider.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { Store } from "../store/store.ts";
import type { HostKeys } from "./core-memory.ts";
import type { HostAcp } from "./models/acp.ts";

/** What `createHost` is given: a store; everything else has a default. */
export type HostOptions = {
  readonly store: Store;
  /** API keys and addresses of models. */
  readonly env?: Environment;
  /** The model of agents that name none; that of the first provider whose key is set, unless given. */
  readonly model?: string | undefined;
  /** The most tokens that model takes, if you know it better. An agent's settings may say another. */
  readonly window?: number | undefined;
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
  /** Where directories are made for agents over ACP, one per agent and user: ~/.charter/acp, unless given. */
  readonly acpHome?: string | undefined;
  readonly clock?: () => Date;
};

/** The tools a host gives its agents: the same to all, or by agent and channel. */
export type HostTools = Tools | ((about: { readonly agent: string; readonly channel: string | undefined }) => Tools);
