import { addUsage, costOf, inMicros, noUsage, sumCosts } from "../../delivery/cost.ts";
import type { Answer, Usage } from "../../delivery/model.ts";
import { Problem } from "../../prompt/problem.ts";
import type { CacheTokens } from "../../prompt/receipt.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import type { Expense } from "../../store/turns/spending.ts";
import type { AgentDeps } from "./agent-deps.ts";
import { dayOf } from "./spending.ts";
import type { OpinionBill, StepResult } from "./step-result.ts";
import type { TurnBill, TurnState } from "./turn-state.ts";

/**
 * What came of a step so far, what it cost and whether foreign words are in it: if nobody comes back to this turn, that
 * much is known. Nobody goes on with a turn that was erased or given up while it ran.
 */
export async function saveStepResult(
  deps: AgentDeps,
  running: Pick<TurnState, "who" | "progress" | "bill">,
  given: StepResult,
): Promise<void> {
  const { id, scope } = running.who;
  const { step, tainted } = running.progress;
  const came = withOpinions(running.bill, step, given);
  running.progress.stepResult = came;
  const state = await deps.store.turns.recordResult(id, step, came, {
    scope,
    tainted,
    ...unrecordedSpendOf(deps, running.bill),
  });
  running.bill.unrecordedSpend = undefined;
  if (state !== "running") throw new Problem("turn-over", `The turn was ${state} while it ran.`, "Ask again.");
}

/** Adds a step's bill to the turn's. It is owed until it is on record. */
export function billAnswer(running: Pick<TurnState, "who" | "seat" | "bill">, answer: Answer): void {
  const { model } = running.seat;
  const usage = soundUsage(answer.usage);
  const reported = soundCost(answer.cost);
  const cost =
    reported ?? costOf(charged(usage, running.bill.predicted, running.who.tokenizer, answer), model.receiver);
  const { name: receiver, price } = model.receiver;
  const { unrecordedSpend = { receiver, usage: noUsage, cost: 0, priced: price !== null } } = running.bill;
  // Where no price is known, what the receiver itself reports is all there is.
  const before = running.bill.cost ?? (reported === undefined || running.bill.usage !== noUsage ? null : 0);
  running.bill.usage = addUsage(running.bill.usage, usage);
  running.bill.cost = sumCosts([before, cost]);
  running.bill.unrecordedSpend = {
    receiver: unrecordedSpend.receiver,
    usage: addUsage(unrecordedSpend.usage, usage),
    cost: unrecordedSpend.cost + (cost ?? 0),
    priced: unrecordedSpend.priced || reported !== undefined,
  };
}

/** Adds a second opinion's bill to the turn's. What was spent, the store counts by itself. */
export function billOpinion(bill: TurnBill, opinion: OpinionBill): void {
  bill.usage = addUsage(bill.usage, opinion.usage);
  bill.cost = sumCosts([bill.cost, opinion.cost]);
  bill.opinions = [...bill.opinions, opinion];
}

/** Each is told with one step: the one whose tools asked for it, or the first of a turn that made approved calls. */
function withOpinions(bill: TurnBill, now: number, came: StepResult): StepResult {
  bill.opinions = bill.opinions.map((one) => ({ step: now, ...one }));
  const own = bill.opinions.filter(({ step }) => step === now);
  return own.length === 0 ? came : { ...came, opinions: own.map(({ step: _, ...bill }) => bill) };
}

function soundCost(cost: number | undefined): number | undefined {
  return cost !== undefined && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
}

/** What no provider can have counted is not counted. */
export function soundUsage({ input, read, written, output }: Usage): Usage {
  const sound = (count: number | null) => (Number.isSafeInteger(count) && (count as number) >= 0 ? count : null);
  return { input: sound(input), read: sound(read), written: sound(written), output: sound(output) };
}

/** What a provider does not count is charged as it was predicted: a limit on spending holds with such a one, too. */
function charged(
  usage: Usage,
  predicted: CacheTokens | undefined,
  tokenizer: Tokenizer,
  { text, calls }: Answer,
): Usage {
  const said = () => [text, ...calls.flatMap(({ name, input }) => [name, input])].join("\n");
  const output = usage.output ?? tokenizer.count(said());
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
