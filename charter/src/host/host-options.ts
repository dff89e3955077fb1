import type { Limits } from "../agent/limits.ts";
import type { Tools } from "../agent/tool-list.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import type { ModelLoader } from "../delivery/models/given-model.ts";
import type { Environment } from "../delivery/models/provider.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { Store } from "../store/store.ts";

export type HostOptions = {
  readonly store: Store;
  /** Keys and addresses of models. */
  readonly env?: Environment;
  /** The model of agents that name none; the first whose key is at hand, unless said otherwise. */
  readonly model?: string | undefined;
  readonly loadModel?: ModelLoader;
  /** What a host lends its agents: the same everywhere, or by agent and channel. */
  readonly tools?: HostTools | undefined;
  /** Channels a host registers besides the usual ones, with their guidance. */
  readonly channels?: Channels | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** The zone of users who have none of their own. */
  readonly zone?: string | undefined;
  /** Where the lock lies, when it is somewhere else. */
  readonly lock?: string | undefined;
  /** Asked before an agent's charter is loaded: a charter's file is code. */
  readonly checkCharter?: ((agent: AgentRecord) => Promise<void>) | undefined;
  /** Whose files, and those below it, are read where a coding agent is looked at; the one this process runs in. */
  readonly directory?: string | undefined;
  readonly clock?: () => Date;
};

export type HostTools = Tools | ((about: { readonly agent: string; readonly channel: string | undefined }) => Tools);
