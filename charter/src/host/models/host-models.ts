import type { Declaration } from "../../agent/declaration.ts";
import type { Limits } from "../../agent/limits.ts";
import { createLearnedWindows, keptWindow } from "../../agent/turn/window.ts";
import type { Fault, Model } from "../../delivery/model.ts";
import { entryNamed, knownReceiver } from "../../delivery/models/find-model.ts";
import { modelLoader } from "../../delivery/models/language.ts";
import { type ModelTable, priceHint } from "../../delivery/models/model-entry.ts";
import { defaultModelName, loadModel, modelAddress, standInName } from "../../delivery/models/provider.ts";
import { providerNames, type Receiver, receiverFacts, receiverOf, splitModelName } from "../../delivery/receiver.ts";
import { listed, Problem, reasonOf } from "../../prompt/problem.ts";
import type { Notice } from "../../prompt/reading.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { HostOptions, HostPlace } from "../host-options.ts";
import { type AcpModels, type ModelNameSources, modelNames, modelNotice } from "./model-names.ts";

/** Models of a host's agents. Each is loaded once. */
export type HostModels = {
  /** Models of agents that name none. */
  readonly usual: () => readonly string[];
  readonly nameFor: (agent: AgentRecord) => string;
  /** All models of an agent, in the order they are asked; the first is loaded. */
  readonly listFor: (agent: AgentRecord) => Promise<LoadedList>;
  /** Window that was set: at the terminal, for the agent, or for the host's model if the agent uses that one. */
  readonly windowFor: (agent: AgentRecord, declaration?: Pick<Declaration, "window">) => number | undefined;
  readonly load: (name: string) => Promise<Model>;
  /** Names of models that are known here. */
  readonly nameSources: ModelNameSources;
  /** Receiver of an agent's next turn: facts of its model, with the window as far as it is known now. */
  readonly receiverFor: (agent: AgentRecord, declaration?: Pick<Declaration, "window">) => Promise<Receiver>;
  /** Receiver for showing a prompt: if the model cannot be found, a notice says so and only turns are refused. */
  readonly receiverSeen: (
    agent: AgentRecord,
    declaration?: Pick<Declaration, "window">,
  ) => Promise<{ readonly receiver: Receiver; readonly notices: Notice[] }>;
  /** Tells whether the agent's model has a price; undefined if the model is not known. */
  readonly isPriced: (agent: AgentRecord) => Promise<boolean | undefined>;
};

/** Models of a host. `at` returns those of a place with models of its own. */
type AllModels = HostModels & { readonly at: (place: ModelPlace) => HostModels };
type ModelPlace = Pick<HostPlace, "model" | "window">;

export function createHostModels(options: HostOptions, acp: AcpModels): AllModels {
  const { env = process.env, models: table } = options;
  const sources = { env, models: table };
  const models = new Map<string, Promise<Model>>();
  const set = modelNames(options.model);
  const usual = () => (set.length > 0 ? set : [defaultModelName(env, table)]);
  const own = options.loadModel && modelLoader(options.loadModel);
  // A model in the table is used by its name, even if the host has a loader of its own.
  const others = (name: string) =>
    own && entryNamed(name, table) === undefined ? own(name) : loadModel(name, sources);
  const find = async (name: string) => {
    await options.checkModel?.();
    return acp.isAcp(name) ? acp.load(name) : others(name);
  };
  const load = (name: string): Promise<Model> => {
    const known = models.get(name) ?? find(name);
    models.set(name, known);
    // A key that is missing now may be set later, so the failure is not cached.
    known.catch(() => models.delete(name));
    return known;
  };
  const windows = createLearnedWindows(options.store, options.clock ?? (() => new Date()));
  const modelsAt = (place: ModelPlace): HostModels => {
    const names = modelNames(place.model);
    const namesFor = ({ model, fallbacks = [] }: AgentRecord): readonly string[] => {
      if (names.length > 0) return names;
      return model === null ? usual() : [model, ...fallbacks];
    };
    const nameFor = (agent: AgentRecord) => namesFor(agent)[0] as string;
    const listFor = (agent: AgentRecord) => loadList(namesFor(agent), load);
    const windowFor: HostModels["windowFor"] = ({ model }, declaration) => {
      if (place.window === null) return undefined;
      const usualWindow = model === null && names.length === 0 ? options.window : undefined;
      return place.window ?? declaration?.window ?? usualWindow;
    };
    // The name of a known model is enough, without a key; a model that only the host knows has to be loaded.
    const servedFor = async (agent: AgentRecord): Promise<Pick<Model, "receiver" | "address">> => {
      const name = nameFor(agent);
      const isOwn = own !== undefined && entryNamed(name, table) === undefined;
      if (isOwn || acp.isAcp(name)) return (await listFor(agent))[0];
      const address = modelAddress(name, sources);
      return { receiver: receiverNamed(name, table), ...(address === undefined ? {} : { address }) };
    };
    const receiverFor: HostModels["receiverFor"] = async (agent, declaration) => {
      const model = await servedFor(agent);
      const namedWindow = { window: windowFor(agent, declaration) };
      const { window } = await keptWindow({ model, windows, asked: namedWindow });
      return window === model.receiver.window ? model.receiver : { ...model.receiver, window };
    };
    const receiverSeen: HostModels["receiverSeen"] = async (agent, declaration) => {
      const name = nameFor(agent);
      const problemOf = (error: unknown) => {
        if (error instanceof Problem) return [modelNotice(error)];
        // An error of the host's own loader must not hide the prompt.
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

/** Facts of a model by its name alone: counting for it needs no key. */
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

/** Models as `createAgent` takes them: the first is loaded, the others are names. */
export type LoadedList = readonly [Model, ...string[]];

/**
 * Loads the models of an agent. If the first cannot be loaded (its key is missing) but another can, a model that refuses every
 * request takes its place: its turns are answered by the next one, and say so.
 */
async function loadList(names: readonly string[], load: (name: string) => Promise<Model>): Promise<LoadedList> {
  const [first = "", ...others] = names;
  try {
    return [await load(first), ...others];
  } catch (error) {
    if (!(error instanceof Problem) || !(await anyLoads(others, load))) throw error;
    return [modelNotLoaded(first, error), ...others];
  }
}

async function anyLoads(names: readonly string[], load: (name: string) => Promise<Model>): Promise<boolean> {
  for (const name of names)
    if (
      await load(name).then(
        () => true,
        () => false,
      )
    )
      return true;
  return false;
}

function modelNotLoaded(name: string, { message }: Problem): Model {
  const fault: Fault = { code: "model-rejected", message, retry: false, outage: true };
  // The fault is returned before anything is sent or recorded.
  return { receiver: receiverFacts(name), prepare: async () => ({ fault }), ask: async () => ({ fault }) };
}

/** Daily spending limits of an agent, in dollars, and whether its model's price is known. */
export type SpendingLimit = Pick<Limits, "userDollarsPerDay" | "agentDollarsPerDay"> & {
  readonly agent: string;
  readonly model: string;
  readonly priced: boolean;
};

/** Lists the agents with a daily spending limit. Agents that cannot be loaded are left out: their turns report it. */
export async function spendingLimits(
  agents: readonly AgentRecord[],
  models: Pick<HostModels, "nameFor" | "isPriced">,
  limitsOf: (agent: AgentRecord) => Promise<Partial<Limits>>,
): Promise<SpendingLimit[]> {
  const limits: SpendingLimit[] = [];
  for (const agent of agents) {
    const { userDollarsPerDay, agentDollarsPerDay } = await limitsOf(agent).catch(nothing);
    const set = {
      ...(userDollarsPerDay === undefined ? {} : { userDollarsPerDay }),
      ...(agentDollarsPerDay === undefined ? {} : { agentDollarsPerDay }),
    };
    const priced = Object.keys(set).length === 0 ? undefined : await models.isPriced(agent);
    // Agents with an unknown model are left out: their turns report it.
    if (priced !== undefined) limits.push({ agent: agent.name, model: models.nameFor(agent), ...set, priced });
  }
  return limits;
}

function nothing(error: unknown): Partial<Limits> {
  if (error instanceof Problem) return {};
  throw error;
}

/** Notices for whoever starts a host: with a limit in dollars and an unknown price, every turn is refused. */
export function priceNotices(limits: readonly SpendingLimit[]): Notice[] {
  return limits
    .filter(({ priced }) => !priced)
    .map(({ agent, model, userDollarsPerDay = Infinity, agentDollarsPerDay = Infinity }) => ({
      code: "price-unknown",
      message: `“${agent}” may cost $${Math.min(userDollarsPerDay, agentDollarsPerDay)} a day, and the price of “${model}” is not known: its turns are refused. ${priceHint(model)}`,
    }));
}
