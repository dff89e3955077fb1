import { createRoute, z } from "@hono/zod-openapi";
import { allSections } from "../../prompt/charter.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { RouteContext, Routes } from "../api.ts";
import { chainStatus } from "../chain-status.ts";
import { checkOperator } from "../http/caller.ts";
import { instantOf } from "../http/instant.ts";
import { automaton, grantRequest, lifeSnapshot, sleepRequest } from "../schemas/automaton.ts";
import { agentPath } from "../schemas/name.ts";
import { body, json, problems } from "../schemas/response.ts";
import { checkInbox } from "./check-inbox.ts";
import { sectionFacts } from "./section-facts.ts";
import { shownTurns } from "./turn-records.ts";

const tags = ["automata"];
const params = z.object(agentPath);
const path = "/agents/{agent}/automaton";

const snapshotting = createRoute({
  method: "get",
  path: "/agents/{agent}/snapshot",
  tags,
  summary: "Get an agent's life in one answer",
  description: "State, tier and balances, sections, conversations, the newest turns, and how its state changed.",
  request: { params },
  responses: { 200: json(lifeSnapshot, "The current state."), ...problems(404) },
});

const waking = createRoute({
  method: "post",
  path: `${path}/wake`,
  tags,
  summary: "Wake an agent that sleeps",
  request: { params },
  responses: { 200: json(automaton, "The agent is awake."), ...problems(404, 422) },
});

const sleeping = createRoute({
  method: "post",
  path: `${path}/sleep`,
  tags,
  summary: "Send an agent to sleep",
  description: "Until then, or until it is woken, messages wait and it takes no turns of its own.",
  request: { params, body: { ...body(sleepRequest), required: false } },
  responses: { 200: json(automaton, "The agent is asleep."), ...problems(404, 413, 415, 422) },
});

const granting = createRoute({
  method: "post",
  path: `${path}/grant`,
  tags,
  summary: "Grant an agent more to spend, or take some back",
  request: { params, body: body(grantRequest) },
  responses: { 200: json(automaton, "The new balance."), ...problems(404, 413, 415, 422) },
});

export const automatonRoutes: Routes = (api, serving) => {
  const { host, operator } = serving;
  const { agents, automata } = host.store;
  const living = async (name: string) => {
    const found = await agents.get(name);
    await checkInbox(host, found);
    return found;
  };

  api.openapi(snapshotting, async (context) => {
    checkOperator(context.get("caller"), "seeing an agent's life");
    const found = await agents.get(context.req.valid("param").agent);
    return context.json(await snapshotOf(serving, found), 200);
  });

  api.openapi(waking, async (context) => {
    checkOperator(context.get("caller"), "waking agents");
    const found = await living(context.req.valid("param").agent);
    await automata.wake(found.name, operator);
    return context.json(await lifeOf(serving, found), 200);
  });

  api.openapi(sleeping, async (context) => {
    checkOperator(context.get("caller"), "sending agents to sleep");
    const found = await living(context.req.valid("param").agent);
    const { until } = context.req.valid("json");
    await automata.sleep(found.name, until === undefined ? undefined : instantOf(until), operator);
    return context.json(await lifeOf(serving, found), 200);
  });

  api.openapi(granting, async (context) => {
    checkOperator(context.get("caller"), "granting agents what they spend");
    const found = await living(context.req.valid("param").agent);
    await automata.grant(found.name, context.req.valid("json").micros, operator);
    return context.json(await lifeOf(serving, found), 200);
  });
};

async function lifeOf({ host, everyMs, chains }: RouteContext, { name: agent, frozen }: AgentRecord) {
  const [row, survival] = await Promise.all([host.store.automata.find(agent), host.survivalOf(agent)]);
  const { state = null, stateAt = null, turn = null, asleepUntil = null } = row ?? {};
  const away = row?.away ? { since: row.away.since, because: row.away.because } : null;
  const { turns = 0, ownTurnAt = null, granted = null, spent = 0 } = row ?? {};
  const { tier, balance, unknown, reserve, need, burnPerHour, runwayHours } = survival;
  const balances = { granted, spent, balance, unknown, reserve, need, burnPerHour, runwayHours };
  const now = host.clock().toISOString();
  // A process that died gives nothing back: its lease ends.
  const runner = row?.leasedUntil && row.leasedUntil >= now ? row.runner : null;
  const rests = frozen === "agent" || (asleepUntil !== null && asleepUntil > now) || tier !== "Normal";
  const every = runner === null || rests ? undefined : everyMs?.get(agent);
  const nextOwnTurnAt = every === undefined ? null : ownTurnAt === null ? now : later(ownTurnAt, every);
  const chain = await chainStatus(host.store, agent, chains?.get(agent), host.clock());
  return {
    ...{ agent, state, stateAt, turn, tier, asleepUntil, turns, ownTurnAt, nextOwnTurnAt, runner, away, balances },
    ...(chain && { chain }),
  };
}

function later(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}

const newest = { turns: 20, transitions: 50 };

async function snapshotOf(serving: RouteContext, found: AgentRecord) {
  const { host } = serving;
  const { store, clock } = host;
  const { name: agent } = found;
  const looked = await host.snapshot({ agent });
  const [life, waiting, layers, conversations, turns, changes] = await Promise.all([
    lifeOf(serving, found),
    store.inbox.countWaiting(agent),
    sectionFacts(host, looked, allSections(looked.declaredTurn.charter)),
    store.conversations.list(agent, { limit: 200 }),
    store.turns.list({ agent, limit: newest.turns }),
    store.automata.listChanges(agent, { limit: newest.transitions }),
  ]);
  const recentTurns = await shownTurns(store, turns, { kind: "operator" });
  const shown = { at: clock().toISOString(), frozen: found.frozen, waiting, layers, conversations, recentTurns };
  return { ...life, ...shown, transitions: changes.map((change) => ({ ...change, fault: change.fault ?? false })) };
}
