import type { Declaration } from "../../agent/declaration.ts";
import type { Model } from "../../delivery/model.ts";
import { modelLoader } from "../../delivery/models/given-model.ts";
import { defaultModelName, loadModel } from "../../delivery/models/provider.ts";
import { receiverOf } from "../../delivery/providers.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import type { Notice } from "../../prompt/notice.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Room } from "../../prompt/room.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { HostOptions } from "../host-options.ts";
import { receiverNamed } from "../quote.ts";
import type { AcpModels } from "./acp.ts";

/** The models a host's agents use. Each is loaded once. */
export type HostModels = {
  readonly nameFor: (agent: AgentRecord) => string;
  readonly load: (name: string) => Promise<Model>;
  readonly receiverFor: (agent: AgentRecord) => Promise<Receiver>;
  /** The same for whoever only looks at its prompt: a model that cannot be found is told, and stops nothing but turns. */
  readonly receiverSeen: (agent: AgentRecord) => Promise<{ readonly receiver: Receiver; readonly notices: Notice[] }>;
  /** Whether the agent's model has a price; undefined where the model is not known. */
  readonly isPriced: (agent: AgentRecord) => Promise<boolean | undefined>;
  /** Small models get the compact edition, unless the agent is set up for another. */
  readonly roomFor: (agent: AgentRecord, declaration: Pick<Declaration, "edition">) => Promise<Room>;
};

export function createHostModels(options: HostOptions, acp: AcpModels): HostModels {
  const { env = process.env } = options;
  const models = new Map<string, Promise<Model>>();
  const nameFor = ({ model }: AgentRecord) => model ?? options.model ?? defaultModelName(env);
  const others = options.loadModel ? modelLoader(options.loadModel) : (name: string) => loadModel(name, { env });
  const find = (name: string) => (acp.isAcp(name) ? acp.load(name) : others(name));
  const load = (name: string): Promise<Model> => {
    const known = models.get(name) ?? find(name);
    models.set(name, known);
    // A key that is missing today may be there tomorrow.
    known.catch(() => models.delete(name));
    return known;
  };
  // A known model's name is enough and needs no key; a model that only the host knows has to be loaded.
  const receiverFor = async (agent: AgentRecord): Promise<Receiver> => {
    const name = nameFor(agent);
    return options.loadModel || acp.isAcp(name) ? (await load(name)).receiver : receiverNamed(name);
  };
  const receiverSeen: HostModels["receiverSeen"] = async (agent) => {
    try {
      return { receiver: await receiverFor(agent), notices: [] };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const message = `It takes no turns while its model cannot be found. ${error.message}`;
      const name = nameFor(agent);
      return {
        receiver: receiverOf(name),
        notices: [{ code: error.code, message }],
      };
    }
  };
  return {
    nameFor,
    load,
    receiverFor,
    receiverSeen,
    isPriced: async (agent) => {
      try {
        return Boolean((await receiverFor(agent)).price);
      } catch {
        return undefined;
      }
    },
    roomFor: async (agent, { edition }) => {
      if (edition !== undefined) return { edition };
      const { window } = (await receiverSeen(agent)).receiver;
      return window !== null && window < 8192 ? { edition: "compact" } : {};
    },
  };
}
