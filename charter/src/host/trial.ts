import type { RulesFor } from "../agent/declaration.ts";
import type { Limits } from "../agent/limits.ts";
import { limitsOf, sleep } from "../agent/limits.ts";
import { askQuestion, type BeforeAsk } from "../agent/question.ts";
import { type TrialRequest, trialGaps, tryTurn } from "../agent/trial.ts";
import type { Answer, Model } from "../delivery/model.ts";
import { type Receiver, receiverFacts } from "../delivery/receiver.ts";
import { type Charter, findSection, sectionScope } from "../prompt/charter.ts";
import { Problem, rethrowUnlessProblem } from "../prompt/problem.ts";
import type { Store } from "../store/store.ts";

/** A section, other words for it, and how many past turns they are tried in. */
export type TrialQuery = {
  readonly agent: string;
  /** The user whose own copy of the section is tried; `null`: nobody's. */
  readonly user: string | null;
  readonly section: string;
  /** Text to try; the current one by default. */
  readonly text?: string | undefined;
  /** The newest so many turns. */
  readonly turns: number;
};

/** The first requests of past turns, made again; and how many could not be, by why. */
export type TrialResult = {
  readonly tried: readonly TrialRequest[];
  readonly missing: Readonly<Record<(typeof trialGaps)[number], number>>;
};

type TrialDeps = {
  readonly store: Store;
  readonly charter: Charter;
  readonly rules: RulesFor;
  /** Loads a model by its name. */
  readonly load: (name: string) => Promise<Model>;
};

/** Maximum number of an agent's turns that are searched for those with the section. */
const maxSearchedTurns = 500;

/** Makes the first requests of the newest turns again. Nothing is asked, run or written. */
export async function tryTurns({ store, charter, rules, load }: TrialDeps, query: TrialQuery): Promise<TrialResult> {
  const { agent, user, section: name, turns: wanted } = query;
  const { section, layer } = findSection(charter, name);
  const text = textAsSaved(rules, query);
  // Words that each user has of their own are in their turns alone.
  const whose = sectionScope(section, layer) === "user" && user !== null ? { agent, user } : { agent };
  const limit = Math.min(wanted, maxSearchedTurns);
  const newest = await store.turns.list({ ...whose, limit });
  const tried: TrialRequest[] = [];
  const missing = Object.fromEntries(trialGaps.map((gap) => [gap, 0])) as Record<(typeof trialGaps)[number], number>;
  const receiverOf = receiversBy(load);
  for (const turn of newest) {
    const made = await tryTurn(store, turn, { charter, section: name, text, receiverOf });
    if (typeof made === "string") missing[made]++;
    else tried.push(made);
  }
  return { tried, missing };
}

/** Returns the text as saving it would: a charter may trim it. */
function textAsSaved(rules: RulesFor, { section, text }: TrialQuery): string | undefined {
  const { normalise } = rules(section, {});
  return text !== undefined && normalise ? normalise(text) : text;
}

/** Returns the receiver as its model says; of a model that cannot be loaded (its key is gone) what its name says. */
function receiversBy(load: TrialDeps["load"]): (name: string) => Promise<Receiver> {
  const known = new Map<string, Promise<Receiver>>();
  const read = async (name: string) => {
    try {
      return (await load(name)).receiver;
    } catch (error) {
      rethrowUnlessProblem(error);
      return receiverFacts(name);
    }
  };
  return (name) => {
    const found = known.get(name) ?? read(name);
    known.set(name, found);
    return found;
  };
}

/** Answer of a model to a request that was made again, and its cost in millionths of a dollar. */
export type TrialAnswer = { readonly answer: Answer; readonly model: string; readonly micros: number | null };

type TrialAskDeps = TrialDeps & {
  readonly clock: () => Date;
  readonly limits: Partial<Limits> | undefined;
  readonly beforeAsk: BeforeAsk;
  readonly signal: AbortSignal | undefined;
};

/** Maximum time for the model's answer, in milliseconds. */
const seconds = 300;

/**
 * A model's first answer to a request that was made again. Its calls are not made. What it costs is the agent's, and on
 * nobody's limit but the agent's.
 */
export async function askTrial(deps: TrialAskDeps, query: TrialQuery, turn: string): Promise<TrialAnswer> {
  const { store, charter, rules, load, clock, limits, beforeAsk, signal } = deps;
  const { agent, section } = query;
  const text = textAsSaved(rules, query);
  const found = await store.turns.get(turn);
  const receiverOf = receiversBy(load);
  const made = found.scope.agent === agent && (await tryTurn(store, found, { charter, section, text, receiverOf }));
  if (!made || typeof made === "string")
    throw new Problem("request-unknown", `The first request of “${turn}” cannot be made again.`, "Try another turn.");
  const model = await load(made.step.receipt.receiver ?? "");
  if (model.receiver.keepsHistory)
    throw new Problem(
      "request-unknown",
      `“${model.receiver.name}” keeps the conversation itself: a single request of it cannot be asked again.`,
      "Try a turn that another model answered.",
    );
  // Leave out the cache key: a trial neither warms nor reads a conversation's cache.
  const { cacheKey: _, ...request } = made.request;
  const scope = { agent };
  const asking = { store, clock, sleep, signal, seconds, retries: 1, limits: limitsOf(limits), beforeAsk };
  const asked = await askQuestion(asking, model, request, scope);
  if (!asked.answer) throw new Problem(asked.fault.code, asked.fault.message, "Try again later.");
  await store.spending.add(scope, asked.spent);
  return {
    answer: asked.answer,
    model: model.receiver.name,
    micros: asked.bill.cost === null ? null : asked.spent.micros,
  };
}
