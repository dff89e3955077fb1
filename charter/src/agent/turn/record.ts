import type { Answer, Usage } from "../../delivery/model.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Spent } from "../../store/turns/spending.ts";
import { addUsage, costOf, noUsage } from "../outcome.ts";
import { dayOf } from "./spending.ts";
import type { Came, OpinionBill } from "./step-result.ts";
import type { Running, Working } from "./turn-state.ts";

/**
 * What came of a step so far, what it cost and whether foreign words are in it: if nobody comes back to this turn, that
 * much is known. Nobody goes on with a turn that was erased or given up while it ran.
 */
export async function record(working: Working, running: Running, given: Came): Promise<void> {
  const { id, step, scope, tainted } = running;
  const came = withOpinions(running, given);
  running.came = came;
  const state = await working.store.turns.came(id, step, came, { scope, tainted, ...owedBy(working, running) });
  running.owed = undefined;
  if (state !== "running") throw new Problem("turn-over", `The turn was ${state} while it ran.`, "Ask again.");
}

/** Adds a step's bill to the turn's. It is owed until it is on record. */
export function bill({ model }: Working, running: Running, answer: Answer): void {
  const usage = soundUsage(answer.usage);
  const cost = costOf(charged(usage, running, answer), model.receiver);
  const { owed = { usage: noUsage, cost: 0 } } = running;
  running.usage = addUsage(running.usage, usage);
  running.cost = running.cost === null || cost === null ? null : running.cost + cost;
  running.owed = { usage: addUsage(owed.usage, usage), cost: owed.cost + (cost ?? 0) };
}

/** Adds a second opinion's bill to the turn's. What was spent, the store counts by itself. */
export function billOpinion(running: Running, bill: OpinionBill): void {
  running.usage = addUsage(running.usage, bill.usage);
  running.cost = running.cost === null || bill.cost === null ? null : running.cost + bill.cost;
  running.opinions = [...running.opinions, bill];
}

/** Each is told with one step: the one whose tools asked for it, or the first of a turn that made approved calls. */
function withOpinions(running: Running, came: Came): Came {
  running.opinions = running.opinions.map((one) => ({ step: running.step, ...one }));
  const own = running.opinions.filter(({ step }) => step === running.step);
  return own.length === 0 ? came : { ...came, opinions: own.map(({ step: _, ...bill }) => bill) };
}

/** What no provider can have counted is not counted. */
export function soundUsage({ input, read, written, output }: Usage): Usage {
  const sound = (count: number | null) => (Number.isSafeInteger(count) && (count as number) >= 0 ? count : null);
  return { input: sound(input), read: sound(read), written: sound(written), output: sound(output) };
}

/** What a provider does not count is charged as it was predicted: a limit on spending holds with such a one, too. */
function charged(usage: Usage, { predicted, tokenizer }: Running, { text, calls }: Answer): Usage {
  const said = () => [text, ...calls.flatMap(({ name, input }) => [name, input])].join("\n");
  const output = usage.output ?? tokenizer.count(said());
  if (usage.input !== null || !predicted) return { ...usage, output };
  const { read, written, fresh } = predicted;
  return { input: read + written + fresh, read, written, output };
}

export function owedBy({ model, clock }: Working, { owed }: Running): { readonly spent?: Spent } {
  if (!owed) return {};
  const micros = Math.round(owed.cost * 1e6);
  return { spent: { day: dayOf(clock()), receiver: model.receiver.name, micros, usage: owed.usage } };
}
