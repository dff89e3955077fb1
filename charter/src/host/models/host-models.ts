import type { Declaration } from "../../agent/declaration.ts";
import { createLearnedWindows, keptWindow } from "../../agent/turn/window.ts";
import type { Model } from "../../delivery/model.ts";
import { entryNamed, knownReceiver } from "../../delivery/models/find-model.ts";
import { modelLoader } from "../../delivery/models/language.ts";
import type { ModelTable } from "../../delivery/models/model-entry.ts";
import { defaultModelName, loadModel, modelAddress, standInName } from "../../delivery/models/provider.ts";
import { providerNames, type Receiver, receiverOf, splitModelName } from "../../delivery/receiver.ts";
import { listed, Problem, reasonOf } from "../../prompt/problem.ts";
import type { Notice } from "../../prompt/reading.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { HostOptions, HostPlace } from "../host-options.ts";
import type { AcpModels } from "./acp.ts";
import type { ModelNameSources } from "./check-model-name.ts";
import { modelNotice } from "./check-model-name.ts";
import { type LoadedList, loadList } from "./load-list.ts";
import { modelNames } from "./model-list.ts";

/** The models a host's agents use. Each is loaded once. */
export type HostModels = {
  /** The models of agents that name none. */
  readonly usual: () => readonly string[];
  readonly nameFor: (agent: AgentRecord) => string;
  /** All its models, in the order they are asked; the first is loaded. */
  readonly listFor: (agent: AgentRecord) => Promise<LoadedList>;
  /** The window that was set: where it is asked, for the agent, or for the host's model where that is the agent's. */
  readonly windowFor: (agent: AgentRecord, declaration?: Pick<Declaration, "window">) => number | undefined;
  readonly load: (name: string) => Promise<Model>;
  /** By what names of models are known here. */
  readonly nameSources: ModelNameSources;
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

/** `at`: where other models were named than the agent's own. */
type AllModels = HostModels & { readonly at: (place: ModelPlace) => HostModels };
type ModelPlace = Pick<HostPlace, "model" | "window">;

export function createHostModels(options: HostOptions, acp: AcpModels): AllModels {
  const { env = process.env, models: table } = options;
  const sources = { env, models: table };
  const models = new Map<string, Promise<Model>>();
  const set = modelNames(options.model);
  const usual = () => (set.length > 0 ? set : [defaultModelName(env, table)]);
  const own = options.loadModel && modelLoader(options.loadModel);
  // What stands in the table is meant by its name, whoever loads the others.
  const others = (name: string) =>
    own && entryNamed(name, table) === undefined ? own(name) : loadModel(name, sources);
  const find = async (name: string) => {
    await options.checkModel?.();
    return acp.isAcp(name) ? acp.load(name) : others(name);
  };
  const load = (name: string): Promise<Model> => {
    const known = models.get(name) ?? find(name);
    models.set(name, known);
    // A key that is missing today may be there tomorrow.
    known.catch(() => models.delete(name));
    return known;
  };
  const windows = createLearnedWindows(options.store, options.clock ?? (() => new Date()));
  const modelsAt = (place: ModelPlace): HostModels => {
    const named = modelNames(place.model);
    const namesFor = ({ model, fallbacks = [] }: AgentRecord): readonly string[] => {
      if (named.length > 0) return named;
      return model === null ? usual() : [model, ...fallbacks];
    };
    const nameFor = (agent: AgentRecord) => namesFor(agent)[0] as string;
    const listFor = (agent: AgentRecord) => loadList(namesFor(agent), load);
    const windowFor: HostModels["windowFor"] = ({ model }, declaration) => {
      if (place.window === null) return undefined;
      const usualWindow = model === null && named.length === 0 ? options.window : undefined;
      return place.window ?? declaration?.window ?? usualWindow;
    };
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
      const asked = { window: windowFor(agent, declaration) };
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
      nameSources: { ...sources, acp: acp.names, ...(own && { load }) },
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
  };
  return { ...modelsAt({}), at: modelsAt };
}

/** What is known of a model by its name alone: no key is needed to count for it. */
export function receiverNamed(name: string, models: ModelTable = {}): Receiver {
  if (entryNamed(name, models) !== undefined) return knownReceiver(name, models);
  const { provider, model } = splitModelName(name);
  if (provider === splitModelName(standInName).provider) return receiverOf(standInName);
  if (providerNames.includes(provider) && model !== "") return receiverOf(name);
  const own = Object.keys(models).length === 0 ? "" : `, or as one of your own: ${listed(Object.keys(models))}`;
  throw new Problem(
    "unknown-model",
    `There is no model “${name}”.`,
    `Name it as provider/model, with one of the providers ${listed(providerNames)}${own}.`,
  );
}
