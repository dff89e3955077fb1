import type { Declaration } from "../../agent/declaration.ts";
import { createLearnedWindows } from "../../agent/turn/window/learned-windows.ts";
import { keptWindow, roomWithin } from "../../agent/turn/window/window.ts";
import type { Model } from "../../delivery/model.ts";
import { modelLoader } from "../../delivery/models/given-model.ts";
import { defaultModelName, loadModel, modelAddress } from "../../delivery/models/provider.ts";
import { receiverOf } from "../../delivery/providers.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import type { Notice } from "../../prompt/notice.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Room } from "../../prompt/room.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { HostOptions } from "../host-options.ts";
import { receiverNamed } from "../quote.ts";
import type { AcpModels } from "./acp.ts";
import { modelNotice } from "./model-notice.ts";

/** The models a host's agents use. Each is loaded once. */
export type HostModels = {
  readonly nameFor: (agent: AgentRecord) => string;
  /** The window that was set for the host's model, where the agent has no model of its own. */
  readonly windowFor: (agent: AgentRecord) => number | undefined;
  readonly load: (name: string) => Promise<Model>;
  /** What is known of its model, with the window that its next turn works with as far as that is known now. */
  readonly receiverFor: (agent: AgentRecord, declaration?: Pick<Declaration, "window">) => Promise<Receiver>;
  /** The same for whoever only looks at its prompt: a model that cannot be found is told, and stops nothing but turns. */
  readonly receiverSeen: (
    agent: AgentRecord,
    declaration?: Pick<Declaration, "window">,
  ) => Promise<{ readonly receiver: Receiver; readonly notices: Notice[] }>;
  /** Whether the agent's model has a price; undefined where the model is not known. */
  readonly isPriced: (agent: AgentRecord) => Promise<boolean | undefined>;
  /** Small models get the compact edition, unless the agent is set up for another. */
  readonly roomFor: (agent: AgentRecord, declaration: Pick<Declaration, "edition" | "window">) => Promise<Room>;
};

export function createHostModels(options: HostOptions, acp: AcpModels): HostModels {
  const { env = process.env } = options;
  const models = new Map<string, Promise<Model>>();
  const nameFor = ({ model }: AgentRecord) => model ?? options.model ?? defaultModelName(env);
  const windowFor = ({ model }: AgentRecord) => (model === null ? options.window : undefined);
  const others = options.loadModel ? modelLoader(options.loadModel) : (name: string) => loadModel(name, { env });
  const find = (name: string) => (acp.isAcp(name) ? acp.load(name) : others(name));
  const load = (name: string): Promise<Model> => {
    const known = models.get(name) ?? find(name);
    models.set(name, known);
    // A key that is missing today may be there tomorrow.
    known.catch(() => models.delete(name));
    return known;
  };
  const windows = createLearnedWindows(options.store, options.clock ?? (() => new Date()));
  // A known model's name is enough and needs no key; a model that only the host knows has to be loaded.
  const servedFor = async (agent: AgentRecord): Promise<Pick<Model, "receiver" | "address">> => {
    const name = nameFor(agent);
    if (options.loadModel || acp.isAcp(name)) return load(name);
    const address = modelAddress(name, env);
    return { receiver: receiverNamed(name), ...(address === undefined ? {} : { address }) };
  };
  const receiverFor: HostModels["receiverFor"] = async (agent, declaration) => {
    const model = await servedFor(agent);
    const asked = { window: declaration?.window ?? windowFor(agent) };
    const { window } = await keptWindow({ model, windows, asked });
    return window === model.receiver.window ? model.receiver : { ...model.receiver, window };
  };
  const receiverSeen: HostModels["receiverSeen"] = async (agent, declaration) => {
    const name = nameFor(agent);
    const problemOf = (error: unknown) => {
      if (error instanceof Problem) return [modelNotice(error)];
      throw error;
    };
    try {
      const receiver = await receiverFor(agent, declaration);
      return { receiver, notices: await load(name).then(() => [], problemOf) };
    } catch (error) {
      return { receiver: receiverOf(name), notices: problemOf(error) };
    }
  };
  return {
    nameFor,
    load,
    windowFor,
    receiverFor,
    receiverSeen,
    isPriced: async (agent) => {
      try {
        return Boolean((await receiverFor(agent)).price);
      } catch {
        return undefined;
      }
    },
    roomFor: async (agent, { edition, ...declaration }) => {
      if (edition !== undefined) return { edition };
      const { window } = (await receiverSeen(agent, declaration)).receiver;
      return roomWithin(window);
    },
  };
}
