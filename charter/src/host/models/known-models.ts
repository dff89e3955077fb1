import type { Model } from "../../delivery/model.ts";
import { entryNamed, findModel, isGiven, knownReceiver } from "../../delivery/models/find-model.ts";
import { modelLoader } from "../../delivery/models/language.ts";
import { probeModel } from "../../delivery/models/probe.ts";
import { isStandInName, loadsStandIn, standInName } from "../../delivery/models/provider.ts";
import { knownModelNames, type Price, providerNames, splitModelName } from "../../delivery/receiver.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { HostOptions } from "../host-options.ts";
import type { AcpModels } from "./acp.ts";
import { checkModelName } from "./check-model-name.ts";
import type { HostModels } from "./host-models.ts";

/** Why a model cannot be asked, or did not answer. */
export type ModelProblem = { readonly code: string; readonly message: string; readonly hint: string };

/** A model that agents can be given, and what is known of it without asking it. */
export type KnownModel = {
  readonly name: string;
  /** Its protocol: a provider's name, "acp" or "stand-in". */
  readonly provider: string;
  /** It stands in the table of models of your own. */
  readonly own: boolean;
  readonly key: "present" | "missing" | "not-needed";
  readonly standIn: boolean;
  readonly window: number | null;
  readonly price: Price | null;
  /** What keeps it from being asked: nobody knows it, its key or its address is missing. */
  readonly problem: ModelProblem | null;
  /** What its last test here came to, since the process began. */
  readonly tested: { readonly at: string; readonly ok: boolean; readonly problem?: ModelProblem } | null;
};

/** What a model said when it was asked one word. */
export type ModelTest = {
  readonly model: string;
  readonly ok: boolean;
  readonly problem?: ModelProblem;
  /** What else was found out, in a sentence each. */
  readonly notes: readonly string[];
  readonly tookMs: number;
};

/** The models of a host, for whoever sets agents up. */
export type KnownModels = {
  /** Those of agents that name none. */
  readonly usual: () => readonly string[];
  /** Those of your own, those in use, those of providers that are known by name. None is asked for that. */
  readonly list: () => Promise<readonly KnownModel[]>;
  /** Asks a model one word, which costs a word. */
  readonly test: (name: string) => Promise<ModelTest>;
};

const testedModels = 500;
const testMs = 60_000;

export function createKnownModels(options: HostOptions, acp: AcpModels, models: HostModels): KnownModels {
  const { env = process.env, models: table, store } = options;
  const sources = { env, models: table };
  const clock = options.clock ?? (() => new Date());
  const own = options.loadModel && modelLoader(options.loadModel);
  const results = createBoundedMap<string, NonNullable<KnownModel["tested"]>>(testedModels);
  const running = new Map<string, Promise<ModelTest>>();
  /** A program may load any name itself: what it has no table entry for, it alone knows. */
  const isLoaders = (name: string) => own !== undefined && !acp.isAcp(name) && entryNamed(name, table) === undefined;

  /** Its key, and what keeps it from being asked. */
  const stateOf = async (name: string): Promise<Pick<KnownModel, "key" | "problem">> => {
    const free = { key: "not-needed", problem: null } as const;
    if (loadsStandIn(name) || isLoaders(name)) return free;
    if (acp.isAcp(name)) return { ...free, problem: await problemOf(() => acp.isServed(name)) };
    const entry = entryNamed(name, table);
    if (entry !== undefined && isGiven(entry)) return free;
    const found = findModel(name, sources);
    if (!found) return { key: "missing", problem: await problemOf(() => checkModelName(name, models.nameSources)) };
    const keyless = await problemOf(() => found.credentials(env));
    if (keyless) return { key: "missing", problem: keyless };
    const hasKey = found.credentials(env).secrets.length > 0;
    return { key: hasKey ? "present" : "not-needed", problem: await problemOf(() => found.address()) };
  };

  const describe = async (name: string): Promise<KnownModel> => {
    const entry = entryNamed(name, table);
    const { window, price } = knownReceiver(name, table);
    const { provider } = splitModelName(name);
    return {
      name,
      provider: entry === undefined ? provider : (findModel(name, sources)?.api ?? provider),
      own: entry !== undefined,
      standIn: isStandInName(name),
      window,
      price,
      ...(await stateOf(name)),
      tested: results.get(name) ?? null,
    };
  };

  const namesInUse = async () =>
    (await store.agents.list()).flatMap(({ model, fallbacks = [], settings: { secondOpinion } }) => [
      ...(model === null ? [] : [model]),
      ...fallbacks,
      ...(typeof secondOpinion === "string" ? [secondOpinion] : []),
    ]);

  const ask = async (name: string): Promise<Omit<ModelTest, "model" | "tookMs">> => {
    try {
      if (acp.isAcp(name)) return { ok: false, problem: await askedInTurns(acp, name), notes: [] };
      const loaded: Model = await models.load(name);
      // What a program loads itself is asked as it is.
      const asked = isLoaders(name) ? { env, models: { [name]: loaded } } : sources;
      const [first, ...rest] = await probeModel(name, { ...asked, withinMs: testMs, pictures: false });
      const notes = rest.map(({ what, hint }) => (hint === undefined ? what : `${what} ${hint}`));
      if (first?.fine) return { ok: true, notes };
      const { what = "It did not answer.", hint = "See docs/models.md." } = first ?? {};
      return { ok: false, problem: { code: "model-failed", message: what, hint }, notes };
    } catch (error) {
      return { ok: false, problem: problemIn(error), notes: [] };
    }
  };

  const testNow = async (name: string): Promise<ModelTest> => {
    const from = performance.now();
    const { ok, problem, notes } = await ask(name);
    results.set(name, { at: clock().toISOString(), ok, ...(problem && { problem }) });
    return { model: name, ok, ...(problem && { problem }), notes, tookMs: Math.round(performance.now() - from) };
  };

  return {
    usual: models.usual,
    list: async () => {
      const ofProviders = own ? [] : providerNames.filter((one) => one !== "stand-in").flatMap(knownModelNames);
      const named = [...models.usual(), ...Object.keys(table ?? {}), ...(await namesInUse())];
      const all = new Set([...named, ...(await acp.names()), ...ofProviders, standInName]);
      return Promise.all([...all].map(describe));
    },
    test: (name) => {
      // Whoever asks while it is asked already hears the same answer.
      const now = running.get(name) ?? testNow(name).finally(() => running.delete(name));
      running.set(name, now);
      return now;
    },
  };
}

async function askedInTurns(acp: AcpModels, name: string): Promise<ModelProblem> {
  const unknown = await problemOf(() => acp.isServed(name));
  return (
    unknown ?? {
      code: "not-tested",
      message: `“${name}” is an agent over ACP: it is started for a turn, and cannot be asked one word.`,
      hint: "Say something to it in Chat, or run `charter doctor`.",
    }
  );
}

async function problemOf(what: () => unknown): Promise<ModelProblem | null> {
  try {
    await what();
    return null;
  } catch (error) {
    return problemIn(error);
  }
}

function problemIn(error: unknown): ModelProblem {
  if (error instanceof Problem) return { code: error.code, message: error.message, hint: error.hint };
  return { code: "model-failed", message: reasonOf(error), hint: "See the program that loads it." };
}
