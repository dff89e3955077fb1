import { type Limits, limitsOf, sleep } from "../../agent/limits.ts";
import { askQuestion, type BeforeAsk } from "../../agent/question.ts";
import type { Answer, Model } from "../../delivery/model.ts";
import { entryNamed, findModel, isGiven, knownReceiver } from "../../delivery/models/find-model.ts";
import { modelLoader } from "../../delivery/models/language.ts";
import { oneWord, probeModel } from "../../delivery/models/probe.ts";
import { isStandInName, loadsStandIn, standInName } from "../../delivery/models/provider.ts";
import { knownModelNames, type Price, providerNames, splitModelName } from "../../delivery/receiver.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import { Problem, reasonOf, rethrowUnlessProblem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import type { HostOptions } from "../host-options.ts";
import type { HostModels, LoadedList } from "./host-models.ts";
import { type AcpModels, checkModelName } from "./model-names.ts";

/** Reason why a model cannot be asked, or did not answer. */
export type ModelProblem = { readonly code: string; readonly message: string; readonly hint: string };

/** A model that agents can be given, and what is known of it without asking it. */
export type KnownModel = {
  readonly name: string;
  /** Protocol of the model: a provider's name, "acp" or "stand-in". */
  readonly provider: string;
  /** Shows that it is in the table of your own models. */
  readonly own: boolean;
  readonly key: "present" | "missing" | "not-needed";
  readonly standIn: boolean;
  readonly window: number | null;
  readonly price: Price | null;
  /** Reason why it cannot be asked: it is unknown, or its key or address is missing. */
  readonly problem: ModelProblem | null;
  /** Result of its last test in this process. */
  readonly tested: { readonly at: string; readonly ok: boolean; readonly problem?: ModelProblem } | null;
};

/** Result of asking a model for one word. */
export type ModelTest = {
  readonly model: string;
  readonly ok: boolean;
  readonly problem?: ModelProblem;
  /** Further findings, in a sentence each. */
  readonly notes: readonly string[];
  readonly tookMs: number;
};

/** Models of a host, for setting agents up. */
export type KnownModels = {
  /** Models of agents that name none. */
  readonly usual: () => readonly string[];
  /** Lists your own models, those in use, and the known ones of providers, without asking any. */
  readonly list: () => Promise<readonly KnownModel[]>;
  /** Asks a model for one word, which costs as much. */
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
  /** A program may load any name itself, so a name that is not in the table is left to it. */
  const isLoaders = (name: string) => own !== undefined && !acp.isAcp(name) && entryNamed(name, table) === undefined;

  /** State of a model's key, and the reason why it cannot be asked. */
  const stateOf = async (name: string): Promise<Pick<KnownModel, "key" | "problem">> => {
    const free = { key: "not-needed", problem: null } as const;
    if (loadsStandIn(name) || isLoaders(name)) return free;
    if (acp.isAcp(name)) return { ...free, problem: await problemOf(() => acp.isServed(name)) };
    const entry = entryNamed(name, table);
    if (entry !== undefined && isGiven(entry)) return free;
    const lookup = findModel(name, sources);
    if (!lookup) return { key: "missing", problem: await problemOf(() => checkModelName(name, models.nameSources)) };
    const keyless = await problemOf(() => lookup.credentials(env));
    if (keyless) return { key: "missing", problem: keyless };
    const hasKey = lookup.credentials(env).secrets.length > 0;
    return { key: hasKey ? "present" : "not-needed", problem: await problemOf(() => lookup.address()) };
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
      // A model that the program loads itself is tested as loaded.
      const probeSources = isLoaders(name) ? { env, models: { [name]: loaded } } : sources;
      const [first, ...rest] = await probeModel(name, { ...probeSources, withinMs: testMs, pictures: false });
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
      const names = [...models.usual(), ...Object.keys(table ?? {}), ...(await namesInUse())];
      const all = new Set([...names, ...(await acp.names()), ...ofProviders, standInName]);
      return Promise.all([...all].map(describe));
    },
    test: (name) => {
      // Concurrent tests of a model share one request.
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

/** Result of asking a model for one word; if it failed, the reason. */
export type ProbeResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: string; readonly message: string };

type Probe = {
  readonly agent: string;
  readonly models: LoadedList;
  readonly load: (name: string) => Promise<Model>;
  readonly store: Pick<Store, "spending">;
  readonly limits: Partial<Limits>;
  readonly clock: () => Date;
  readonly signal: AbortSignal;
  readonly beforeAsk: BeforeAsk;
};

/** Maximum seconds a model may take for one word. */
const maxProbeSeconds = 20;

/**
 * Asks an agent's models for one word, each once and in their order, until one answers, and records what that costs. Undefined if
 * none can be asked this way: an agent over ACP is started only for a turn.
 */
export async function probeAgent(probe: Probe): Promise<ProbeResult | undefined> {
  const { models, load } = probe;
  const [first, ...others] = models;
  let result: ProbeResult | undefined;
  for (const one of [first, ...others]) {
    const model = typeof one === "string" ? await load(one).catch(unlessProblem) : one;
    if (!model || model.receiver.keepsHistory) continue;
    const answer = await askOneWord(probe, model);
    if (answer.ok) return answer;
    // The first model's error is the one to mend.
    result ??= answer;
  }
  return result;
}

function unlessProblem(error: unknown): undefined {
  rethrowUnlessProblem(error);
}

async function askOneWord(probe: Probe, model: Model): Promise<ProbeResult> {
  const { agent, store, clock, signal, beforeAsk } = probe;
  const scope = { agent };
  const deps = {
    store,
    clock,
    sleep,
    signal,
    seconds: maxProbeSeconds,
    retries: 0,
    limits: limitsOf(probe.limits),
    beforeAsk,
  };
  const { name } = model.receiver;
  const asked = await askQuestion(deps, model, oneWord(model.receiver), scope);
  if (asked.answer) {
    await store.spending.add(scope, asked.spent);
    if (saysSomething(asked.answer)) return { ok: true };
    return { ok: false, code: "model-failed", message: `“${name}” gave an empty answer.` };
  }
  if (asked.late)
    return { ok: false, code: "model-unreachable", message: `“${name}” gave no answer in ${maxProbeSeconds} s.` };
  const { code, message } = asked.fault;
  return { ok: false, code, message: message.includes(name) ? message : `“${name}” gave no answer: ${message}` };
}

/** Counts a model that used all its tokens for thinking as working, although it has said nothing yet. */
function saysSomething({ text, calls, finish }: Answer): boolean {
  return text.trim() !== "" || calls.length > 0 || finish === "length";
}
