import type { Scope } from "../../amend/amendment.ts";
import { addUsage, costOf, inDollars, inMicros, microsOf, noUsage, sumCosts } from "../../delivery/cost.ts";
import type { Delivery } from "../../delivery/deliver.ts";
import type { Answer, Model, Usage } from "../../delivery/model.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { Problem } from "../../prompt/problem.ts";
import type { CacheTokens } from "../../prompt/receipt.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import type { Store } from "../../store/store.ts";
import type { Expense } from "../../store/turns/spending.ts";
import type { Limits } from "../limits.ts";
import { answerLimit, measureSurvival, type Survival, type SurvivalTier } from "../survival.ts";
import {
  type AgentDeps,
  type OpinionBill,
  type StepResult,
  type TurnBill,
  type TurnState,
  type TurnView,
  taintOf,
} from "./turn-state.ts";

/**
 * Stores a step's result so far, with its cost and whether foreign words are in it: if the process dies, that much is known.
 * Throws for a turn that was erased or given up while it ran.
 */
export async function saveStepResult(
  deps: AgentDeps,
  running: Pick<TurnState, "who" | "progress" | "bill">,
  given: StepResult,
): Promise<void> {
  const { id, scope } = running.who;
  const { step } = running.progress;
  const result = withOpinions(running.bill, step, given);
  running.progress.stepResult = result;
  const state = await deps.store.turns.recordResult(id, step, result, {
    scope,
    ...taintOf(running.progress),
    ...unrecordedSpendOf(deps, running.bill),
  });
  running.bill.unrecordedSpend = undefined;
  if (state !== "running") throw new Problem("turn-over", `The turn was ${state} while it ran.`, "Ask again.");
}

/** Adds a step's bill to the turn's, and returns it. It is owed until it is recorded. */
export function billAnswer(
  running: Pick<TurnState, "who" | "seat" | "bill">,
  answer: Answer,
): { readonly usage: Usage; readonly cost: number | null } {
  const { model } = running.seat;
  const usage = soundUsage(answer.usage);
  const reported = soundCost(answer.cost);
  const cost =
    reported ?? costOf(chargedUsage(usage, running.bill.predicted, running.who.tokenizer, answer), model.receiver);
  const { name: receiver, price } = model.receiver;
  const { unrecordedSpend = { receiver, usage: noUsage, cost: 0, priced: price !== null } } = running.bill;
  // The receiver's own report is the only cost where no price is known.
  const before = running.bill.cost ?? (reported === undefined || running.bill.usage !== noUsage ? null : 0);
  running.bill.usage = addUsage(running.bill.usage, usage);
  running.bill.cost = sumCosts([before, cost]);
  running.bill.unrecordedSpend = {
    receiver: unrecordedSpend.receiver,
    usage: addUsage(unrecordedSpend.usage, usage),
    cost: unrecordedSpend.cost + (cost ?? 0),
    priced: unrecordedSpend.priced || reported !== undefined,
  };
  return { usage, cost };
}

/** Adds a second opinion's bill to the turn's. The store counts its spending by itself. */
export function billOpinion(bill: TurnBill, opinion: OpinionBill): void {
  bill.usage = addUsage(bill.usage, opinion.usage);
  bill.cost = sumCosts([bill.cost, opinion.cost]);
  bill.opinions = [...bill.opinions, opinion];
}

/** Assigns each opinion to one step: the one whose tools asked for it, or the first of a turn that made approved calls. */
function withOpinions(bill: TurnBill, now: number, result: StepResult): StepResult {
  bill.opinions = bill.opinions.map((one) => ({ step: now, ...one }));
  const own = bill.opinions.filter(({ step }) => step === now);
  return own.length === 0 ? result : { ...result, opinions: own.map(({ step: _, ...bill }) => bill) };
}

function soundCost(cost: number | undefined): number | undefined {
  return cost !== undefined && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
}

/** Drops counts that no provider can have made. */
export function soundUsage({ input, read, written, output }: Usage): Usage {
  const sound = (count: number | null) => (Number.isSafeInteger(count) && (count as number) >= 0 ? count : null);
  return { input: sound(input), read: sound(read), written: sound(written), output: sound(output) };
}

/** Fills in what a provider does not count with the prediction, so that a limit on spending holds there, too. */
function chargedUsage(
  usage: Usage,
  predicted: CacheTokens | undefined,
  tokenizer: Tokenizer,
  { text, calls }: Answer,
): Usage {
  const words = () => [text, ...calls.flatMap(({ name, input }) => [name, input])].join("\n");
  const output = usage.output ?? tokenizer.count(words());
  if (usage.input !== null || !predicted) return { ...usage, output };
  const { read, written, fresh } = predicted;
  return { input: read + written + fresh, read, written, output };
}

export function unrecordedSpendOf(
  { clock }: Pick<AgentDeps, "clock">,
  { unrecordedSpend }: Pick<TurnBill, "unrecordedSpend">,
): { readonly spent?: Expense } {
  if (!unrecordedSpend) return {};
  const micros = inMicros(unrecordedSpend.cost);
  const { receiver, usage } = unrecordedSpend;
  const spent = { day: dayOf(clock()), receiver, micros, usage };
  return { spent: unrecordedSpend.priced ? spent : { ...spent, unpriced: true } };
}

/** Data to check a day's limits with. `owed`: what is spent and not recorded yet. */
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

/** Refuses a request that would exceed the daily limit of the user or the agent. */
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
  const exceeds = (limit: number | undefined, micros: number) =>
    limit !== undefined && inDollars(micros) + next > limit;
  if (exceeds(userDollarsPerDay, spent.user.micros))
    throw limitReached(`“${user ?? "nobody"}” may cost`, userDollarsPerDay);
  if (exceeds(agentDollarsPerDay, spent.agent.micros)) throw limitReached(`“${name}” may cost`, agentDollarsPerDay);
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

/** A request's predicted tokens, and the receiver: the turn's own, unless given. */
type NextRequest = { readonly predicted: CacheTokens; readonly receiver?: Receiver };

/** Measures the survival of a turn's agent, with what the turn has spent; undefined for an agent that lives on no grant. */
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

/** Refuses a request that would spend what an agent needs to stay alive. Returns the maximum number of tokens of the answer. */
export async function checkSurvival(
  deps: AgentDeps,
  turn: Spending,
  { predicted, receiver = turn.seat.model.receiver }: NextRequest,
): Promise<number | undefined> {
  const survival = await survivalOf(deps, turn);
  return survival && affordableAnswer(deps.name, survival, { predicted, receiver });
}

/** Returns the same for a request that is made whatever is left: its answer has at least one token. */
export async function leastAnswer(
  deps: AgentDeps,
  turn: Spending,
  { predicted }: NextRequest,
): Promise<number | undefined> {
  const survival = await survivalOf(deps, turn);
  const limit = survival && limitOf(survival, { predicted, receiver: turn.seat.model.receiver });
  return limit === undefined ? undefined : Math.max(1, limit);
}

/** Returns the maximum number of answer tokens an agent can pay for; throws a Problem where it can pay for none. */
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

/** Limits the tokens of a request's answer. */
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
