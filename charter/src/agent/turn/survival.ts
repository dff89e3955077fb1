import { inMicros } from "../../delivery/cost.ts";
import type { Delivery } from "../../delivery/deliver.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { Problem } from "../../prompt/problem.ts";
import type { CacheTokens } from "../../prompt/receipt.ts";
import { answerLimit } from "../survival/answer-limit.ts";
import { measureSurvival, type Survival } from "../survival/measure-survival.ts";
import type { SurvivalTier } from "../survival/survival.ts";
import type { AgentDeps, TurnView } from "./turn-state.ts";

type Spending = Pick<TurnView, "who" | "seat" | "bill">;

/** What a request will cost before it is answered, and who is asked: the turn's own model, unless given. */
type NextRequest = { readonly predicted: CacheTokens; readonly receiver?: Receiver };

/** How well off the agent of a turn is now, with what the turn has spent; nothing of one that lives on no grant. */
async function survivalOf(deps: AgentDeps, { who, seat: { model }, bill }: Spending): Promise<Survival | undefined> {
  const { store, name, clock } = deps;
  if (!who.declaration.needs?.includes("inbox")) return undefined;
  const automaton = await store.automata.find(name);
  const agent = automaton?.granted == null ? undefined : await store.agents.find(name);
  if (!agent) return undefined;
  const owed = inMicros(bill.unrecordedSpend?.cost ?? 0);
  const priced = Boolean(model.receiver.price);
  return (await measureSurvival({ store, agent, automaton, now: clock(), priced, owed })).survival;
}

export async function survivalTier(deps: AgentDeps, turn: Spending): Promise<SurvivalTier> {
  return (await survivalOf(deps, turn))?.tier ?? "Normal";
}

/** Nothing is asked of a model with what an agent needs to stay alive. Returns the most tokens of the answer. */
export async function checkSurvival(
  deps: AgentDeps,
  turn: Spending,
  { predicted, receiver = turn.seat.model.receiver }: NextRequest,
): Promise<number | undefined> {
  const survival = await survivalOf(deps, turn);
  return survival && affordableAnswer(deps.name, survival, { predicted, receiver });
}

/** The same of a request that is made whatever is left: its answer has a token at least. */
export async function leastAnswer(
  deps: AgentDeps,
  turn: Spending,
  { predicted }: NextRequest,
): Promise<number | undefined> {
  const survival = await survivalOf(deps, turn);
  const limit = survival && limitOf(survival, { predicted, receiver: turn.seat.model.receiver });
  return limit === undefined ? undefined : Math.max(1, limit);
}

/** The most tokens that an agent can have answered; what it cannot pay for is a Problem. */
export function affordableAnswer(
  agent: string,
  survival: Survival,
  request: Required<NextRequest>,
): number | undefined {
  const { tier } = survival;
  if (tier === "Critical" || tier === "OutOfCycles") throw outOfCycles(agent, `to ask its model (${tier})`);
  const limit = limitOf(survival, request);
  if (limit === 0) throw outOfCycles(agent, "for its next request and an answer");
  return limit;
}

function limitOf({ balance, reserve }: Survival, { predicted, receiver }: Required<NextRequest>): number | undefined {
  return balance === null ? undefined : answerLimit(balance - reserve, receiver, predicted);
}

/** A request whose answer may have so many tokens. */
export function withAnswerLimit(delivery: Delivery, answerTokens: number | undefined): Delivery {
  return answerTokens === undefined ? delivery : { ...delivery, request: { ...delivery.request, answerTokens } };
}

function outOfCycles(agent: string, what: string): Problem {
  return new Problem(
    "out-of-cycles",
    `“${agent}” has too few cycles left ${what}.`,
    `Whoever runs it can grant more: charter automaton grant ${agent}.`,
  );
}
