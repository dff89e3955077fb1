import type { Scope } from "../../amend/amendment.ts";
import { inDollars, inMicros, microsOf } from "../../delivery/cost.ts";
import type { Delivery } from "../../delivery/deliver.ts";
import type { Model } from "../../delivery/model.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { Problem } from "../../prompt/problem.ts";
import type { CacheTokens } from "../../prompt/receipt.ts";
import type { Store } from "../../store/store.ts";
import type { Limits } from "../limits.ts";
import { answerLimit } from "../survival/answer-limit.ts";
import { measureSurvival, type Survival } from "../survival/measure-survival.ts";
import type { SurvivalTier } from "../survival/survival.ts";
import type { AgentDeps } from "./agent-deps.ts";
import type { TurnBill, TurnView } from "./turn-state.ts";

/** What a day's limits are checked with. `owed`: what is spent and not on record yet. */
type SpendingDeps = {
  readonly limits: Limits;
  readonly model: Model;
  readonly clock: () => Date;
  readonly store: Pick<Store, "spending">;
  readonly owed?: TurnBill["unrecordedSpend"];
};

export function spendingOf(
  { store, clock }: AgentDeps,
  { terms, seat, bill }: Pick<TurnView, "terms" | "seat" | "bill">,
): SpendingDeps {
  return { limits: terms.limits, model: seat.model, clock, store, owed: bill.unrecordedSpend };
}

/** Stops before a request that would go over what a user, or the agent, may cost in a day. */
export async function checkSpending(
  { limits, store, model, clock, owed }: SpendingDeps,
  { agent: name, user }: Scope,
  predicted: CacheTokens,
): Promise<void> {
  const { userDollarsPerDay, agentDollarsPerDay } = limits;
  if (userDollarsPerDay === undefined && agentDollarsPerDay === undefined) return;
  const { price } = model.receiver;
  if (!price)
    throw new Problem(
      "price-unknown",
      `A limit on spending is set, and the price of ${model.receiver.name} is not known.`,
      "Set its price under “models” in charter.config.ts or models.json (in a program: with its receiver), or take the limit away.",
    );
  const day = dayOf(clock());
  const spent = await store.spending.of({ agent: name, day, ...(user === undefined ? {} : { user }) });
  const next = inDollars(microsOf(price, predicted)) + (owed?.cost ?? 0);
  const over = (limit: number | undefined, micros: number) => limit !== undefined && inDollars(micros) + next > limit;
  if (over(userDollarsPerDay, spent.user.micros))
    throw limitReached(`“${user ?? "nobody"}” may cost`, userDollarsPerDay);
  if (over(agentDollarsPerDay, spent.agent.micros)) throw limitReached(`“${name}” may cost`, agentDollarsPerDay);
}

export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10);
}

function limitReached(what: string, dollars: number | undefined): Problem {
  return new Problem(
    "spending-limit",
    `${what} $${dollars} a day, and the next request would go over it.`,
    "Wait for the next day (UTC), or raise the limit.",
  );
}

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
