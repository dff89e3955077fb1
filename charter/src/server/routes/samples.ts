import { createRoute, z } from "@hono/zod-openapi";
import { planOf } from "../../prompt/plan.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import type { Turn } from "../../store/turns/turn.ts";
import type { RouteContext, Routes } from "../api.ts";
import { checkOperator } from "../http/caller.ts";
import { amendmentsSince, sentRevisions } from "../samples/amendments-since.ts";
import {
  blameCacheBreak,
  type CacheBreakBlame,
  type CacheBreakContext,
  suspects,
} from "../samples/cache-break-blame.ts";
import { createStepReader, type SectionPlaces, type StepFacts, shownStep, stepCache } from "../samples/sampled-step.ts";
import { createTurnSum, type TurnSum } from "../samples/sampled-turn.ts";
import { turnFilter, turnSort } from "../schemas/lists/turn-query.ts";
import { agentPath, idPath } from "../schemas/name.ts";
import { limit, page } from "../schemas/page.ts";
import { json, problems } from "../schemas/response.ts";
import { sample, sampleList } from "../schemas/sample.ts";
import { agentScopeFor } from "./scope-for.ts";
import { readTurns } from "./turn-pages.ts";

const tags = ["turns"];

const session = z.string().optional().openapi({ description: "Only those of this session." });

const listing = createRoute({
  method: "get",
  path: "/agents/{agent}/samples",
  tags,
  summary: "List samples: what each turn sent and cost",
  description: "What each turn sent, section by section, what it was billed for, and what caused a cache miss.",
  request: {
    params: z.object(agentPath),
    query: z.strictObject({ ...turnFilter, session, sort: turnSort, ...page, limit: limit(200, 50) }),
  },
  responses: { 200: json(sampleList, "Default: the newest first."), ...problems(404) },
});

const showing = createRoute({
  method: "get",
  path: "/turns/{id}/sample",
  tags,
  summary: "Get a turn's sample",
  description: "Step by step: what was sent, predicted and billed, and what caused a cache miss.",
  request: { params: z.object(idPath) },
  responses: { 200: json(sample, "The sample; of a running turn what there is so far."), ...problems(404) },
});

export const sampleRoutes: Routes = (api, serving) => {
  const { store } = serving.host;

  api.openapi(listing, async (context) => {
    const caller = context.get("caller");
    checkOperator(caller, "seeing what was sent");
    const { user: whose, ...asked } = context.req.valid("query");
    const scope = await agentScopeFor(serving, caller, context.req.valid("param").agent, whose);
    const { rows, ...stretch } = await readTurns(store, { ...asked, ...scope });
    const sampled = await samplesOf(serving, scope.agent, rows);
    const samples = sampled.map(({ facts, count, last }) => {
      const { tools = null, history = null, sections = [] } = last ? shownStep(last) : {};
      return { ...facts, steps: count, tools, history: history?.tokens ?? null, sections };
    });
    return context.json({ samples, ...stretch }, 200);
  });

  api.openapi(showing, async (context) => {
    checkOperator(context.get("caller"), "seeing what was sent");
    const turn = await store.turns.get(context.req.valid("param").id);
    const steps: StepFacts[] = [];
    const [one] = await samplesOf(serving, turn.scope.agent, [turn], steps);
    const { facts, blamed, events } = one as Sampled;
    const shown = steps.map((step) => {
      const broke = blamed(step);
      return { ...shownStep(step), broke, cache: stepCache(step, broke) };
    });
    return context.json({ ...facts, since: await sinceBefore(store, turn, steps), steps: shown, events }, 200);
  });
};

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
async function samplesOf({ host }: RouteContext, agent: string, turns: readonly Turn[], all?: StepFacts[]) {
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
async function placesIn({ snapshot }: RouteContext["host"], agent: string): Promise<SectionPlaces | null> {
  try {
    const { charter } = (await snapshot({ agent })).declaredTurn;
    const { byName } = planOf(charter);
    return { charter: charter.name, of: (section) => byName.get(section)?.index };
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
