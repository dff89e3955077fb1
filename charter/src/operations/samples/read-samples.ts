import type { Host } from "../../host/host.ts";
import { planOf } from "../../prompt/plan.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import type { Turn } from "../../store/turns/turn.ts";
import { amendmentsSince, sentRevisions } from "./amendments-since.ts";
import { blameCacheBreak, type CacheBreakBlame, type CacheBreakContext, suspects } from "./cache-break-blame.ts";
import { createStepReader, type SectionPlaces, type StepFacts, shownStep, stepCache } from "./sampled-step.ts";
import { createTurnSum, type TurnSum } from "./sampled-turn.ts";

/** A turn's core sample, step by step. */
export async function sampleOf(host: Host, turn: Turn) {
  const steps: StepFacts[] = [];
  const [one] = await samplesOf(host, turn.scope.agent, [turn], steps);
  const { facts, blamed, events } = one as Sampled;
  const shown = steps.map((step) => {
    const broke = blamed(step);
    return { ...shownStep(step), broke, cache: stepCache(step, broke) };
  });
  return { ...facts, since: await sinceBefore(host.store, turn, steps), steps: shown, events };
}

/** What is new to the model in a turn: the amendments made since its session's turn before began. Null without one. */
async function sinceBefore({ turns, history }: Store, turn: Turn, steps: readonly StepFacts[]) {
  const { scope, session, startedAt } = turn;
  if (session === null) return null;
  const [before] = await turns.list({ agent: scope.agent, session, to: startedAt, limit: 1 });
  if (!before) return null;
  const receipt = steps.find(({ step }) => step.receipt !== null)?.step.receipt;
  const entries = receipt ? await history.between(sentRevisions(scope, receipt)) : [];
  return { turn: before.id, amendments: amendmentsSince(before.startedAt, entries) };
}

type Sampled = Awaited<ReturnType<typeof samplesOf>>[number];

/**
 * Turns of one agent, with everything that is known of their steps; each table is asked once for all of them. The steps
 * themselves are put into `all`, where someone wants them.
 */
export async function samplesOf(host: Host, agent: string, turns: readonly Turn[], all?: StepFacts[]) {
  const { store } = host;
  const ids = turns.map(({ id }) => id);
  const [events, places] = await Promise.all([store.events.ofTurns(ids), placesIn(host, agent)]);
  const sums = new Map<string, TurnSum>(ids.map((id) => [id, createTurnSum()]));
  const factsOf = createStepReader(new Set(ids), places, host.models);
  for await (const taken of store.steps.sample(ids)) {
    const step = factsOf(taken);
    if (!step) continue;
    sums.get(taken.turn)?.add(step);
    all?.push(step);
  }
  const happened = Map.groupBy(events, ({ turn }) => turn);
  const broken = new Map<StepFacts, CacheBreakContext>();
  const scopes = new Map(turns.map(({ id, scope }) => [id, scope]));
  for (const step of all ?? [...sums.values()].flatMap((sum) => sum.broken() ?? [])) {
    const scope = scopes.get(step.step.turn);
    if (scope && step.cacheBreak && step.receiver)
      broken.set(step, { scope, at: step.step.at, receiver: step.receiver.name, cacheBreak: step.cacheBreak });
  }
  const amendments = await store.history.between([...broken.values()].flatMap(suspects));
  const blamed = (step: StepFacts): CacheBreakBlame | null => {
    const found = broken.get(step);
    return found ? blameCacheBreak(found, amendments) : null;
  };
  return turns.map((turn) => {
    const sum = sums.get(turn.id) as TurnSum;
    const first = sum.broken();
    const inIt = happened.get(turn.id) ?? [];
    const facts = sum.facts(turn, inIt, first ? blamed(first) : null);
    return { facts, count: sum.count(), last: sum.last(), events: inIt, blamed };
  });
}

/** A charter that cannot be read just now hides nobody's turns: only what its own order would have cost is not known. */
async function placesIn({ snapshot }: Host, agent: string): Promise<SectionPlaces | null> {
  try {
    const { charter } = (await snapshot({ agent })).declaredTurn;
    const { byName } = planOf(charter);
    return { charter: charter.name, of: (section) => byName.get(section)?.index };
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
