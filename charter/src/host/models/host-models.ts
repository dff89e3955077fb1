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

/** Models as `createAgent` takes them: the first is loaded, the others are names. */
export type LoadedList = readonly [Model, ...string[]];

/**
 * The models of an agent. Where the first cannot be loaded (its key is missing) and another can, it stands in the list as
 * one that takes no requests: its turns are answered by the next, and tell so.
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
  // Asked before anything is sent or recorded.
  return { receiver: receiverFacts(name), prepare: async () => ({ fault }), ask: async () => ({ fault }) };
}

/** That an agent may cost so many dollars a day, and whether what its model costs is known. */
export type SpendingLimit = {
  readonly agent: string;
  readonly model: string;
  readonly dollars: number;
  readonly priced: boolean;
};

/** The agents of which it is set what they may cost. Those that cannot be loaded say so with their turns. */
export async function spendingLimits(
  agents: readonly AgentRecord[],
  models: Pick<HostModels, "nameFor" | "isPriced">,
  limitsOf: (agent: AgentRecord) => Promise<Partial<Limits>>,
): Promise<SpendingLimit[]> {
  const found: SpendingLimit[] = [];
  for (const agent of agents) {
    const dollars = dollarsOf(await limitsOf(agent).catch(nothing));
    const priced = dollars === undefined ? undefined : await models.isPriced(agent);
    // Of a model nobody knows its turns tell.
    if (dollars === undefined || priced === undefined) continue;
    found.push({ agent: agent.name, model: models.nameFor(agent), dollars, priced });
  }
  return found;
}

function nothing(error: unknown): Partial<Limits> {
  if (error instanceof Problem) return {};
  throw error;
}

/** The least of what a user or the agent may cost in a day. */
function dollarsOf({ userDollarsPerDay: user, agentDollarsPerDay: all }: Partial<Limits>): number | undefined {
  const set = [user, all].filter((one) => one !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}

/** What whoever starts it should know: with a limit in dollars and no price, nothing is asked of the model. */
export function priceNotices(limits: readonly SpendingLimit[]): Notice[] {
  return limits
    .filter(({ priced }) => !priced)
    .map(({ agent, model, dollars }) => ({
      code: "price-unknown",
      message: `“${agent}” may cost $${dollars} a day, and the price of “${model}” is not known: its turns are refused. ${priceHint(model)}`,
    }));
}
