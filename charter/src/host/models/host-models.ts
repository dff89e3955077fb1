import type { Declaration } from "../../agent/declaration.ts";
import { createLearnedWindows } from "../../agent/turn/window/learned-windows.ts";
import { keptWindow } from "../../agent/turn/window/window.ts";
import type { Model } from "../../delivery/model.ts";
import { modelLoader } from "../../delivery/models/given-model.ts";
import { defaultModelName, loadModel, modelAddress } from "../../delivery/models/provider.ts";
import { entryNamed, knownReceiver } from "../../delivery/models/table/find-model.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import type { Notice } from "../../prompt/notice.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { HostOptions } from "../host-options.ts";
import { receiverNamed } from "../quote.ts";
import type { AcpModels } from "./acp.ts";
import { type LoadedList, loadList } from "./load-list.ts";
import { modelNames } from "./model-list.ts";
import { modelNotice } from "./model-notice.ts";

/** The models a host's agents use. Each is loaded once. */
export type HostModels = {
  /** The models of agents that name none. */
  readonly usual: () => readonly string[];
  readonly nameFor: (agent: AgentRecord) => string;
  /** All its models, in the order they are asked; the first is loaded. */
  readonly listFor: (agent: AgentRecord) => Promise<LoadedList>;
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
};

export function createHostModels(options: HostOptions, acp: AcpModels): HostModels {
  const { env = process.env, models: table } = options;
  const sources = { env, models: table };
  const models = new Map<string, Promise<Model>>();
  const set = modelNames(options.model);
  const usual = () => (set.length > 0 ? set : [defaultModelName(env, table)]);
  const namesFor = ({ model, fallbacks = [] }: AgentRecord): readonly string[] => {
    return model === null ? usual() : [model, ...fallbacks];
  };
  const nameFor = (agent: AgentRecord) => namesFor(agent)[0] as string;
  const windowFor = ({ model }: AgentRecord) => (model === null ? options.window : undefined);
  const own = options.loadModel && modelLoader(options.loadModel);
  // What stands in the table is meant by its name, whoever loads the others.
  const others = (name: string) =>
    own && entryNamed(name, table) === undefined ? own(name) : loadModel(name, sources);
  const find = (name: string) => (acp.isAcp(name) ? acp.load(name) : others(name));
  const load = (name: string): Promise<Model> => {
    const known = models.get(name) ?? find(name);
    models.set(name, known);
    // A key that is missing today may be there tomorrow.
    known.catch(() => models.delete(name));
    return known;
  };
  const listFor = (agent: AgentRecord) => loadList(namesFor(agent), load);
  const windows = createLearnedWindows(options.store, options.clock ?? (() => new Date()));
  // A known model's name is enough and needs no key; a model that only the host knows has to be loaded.
  const servedFor = async (agent: AgentRecord): Promise<Pick<Model, "receiver" | "address">> => {
    const name = nameFor(agent);
    const isOwn = own !== undefined && entryNamed(name, table) === undefined;
    if (isOwn || acp.isAcp(name)) return (await listFor(agent))[0];
    const address = modelAddress(name, sources);
    return { receiver: receiverNamed(name, table), ...(address === undefined ? {} : { address }) };
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
      // Whatever a loader of somebody's own throws is no reason to show no prompt.
      const hint = "Check the model in the agent's settings, and how the server loads it.";
      return [
        modelNotice({ code: "model-failed", message: `“${name}” could not be loaded: ${reasonOf(error)}.`, hint }),
      ];
    };
    try {
      const receiver = await receiverFor(agent, declaration);
      return { receiver, notices: await listFor(agent).then(() => [], problemOf) };
    } catch (error) {
      return { receiver: knownReceiver(name, table), notices: problemOf(error) };
    }
  };
  return {
    usual,
    nameFor,
    listFor,
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
  };
}
