import type { CacheTokens } from "../prompt/receipt.ts";
import type { Usage } from "./model.ts";
import type { Price, Receiver } from "./receiver.ts";

/** What tokens come to, in millionths of a dollar: nowhere else is anything multiplied by a price. */
export function microsOf(price: Price, tokens: Partial<CacheTokens> & { readonly output?: number }): number {
  const { read = 0, written = 0, fresh = 0, output = 0 } = tokens;
  return read * price.read + written * price.write + fresh * price.input + output * price.output;
}

/** As the store keeps money. */
export function inMicros(dollars: number): number {
  return Math.round(dollars * 1e6);
}

export function inDollars(micros: number): number {
  return micros / 1e6;
}

/** What a provider's count comes to, in dollars; null where the price is not known. */
export function costOf({ input, read, written, output }: Usage, { price }: Pick<Receiver, "price">): number | null {
  if (!price) return null;
  const cached = { read: read ?? 0, written: written ?? 0 };
  const fresh = Math.max(0, (input ?? 0) - cached.read - cached.written);
  return inDollars(microsOf(price, { ...cached, fresh, output: output ?? 0 }));
}

type BilledStep = {
  readonly usage?: Usage | null | undefined;
  readonly opinions?: readonly { readonly cost: number | null }[] | undefined;
};

/** What a step cost by what its receiver counted, with the second opinions on it; null where nothing was counted. */
export function stepCost({ usage, opinions = [] }: BilledStep, receiver: Pick<Receiver, "price">): number | null {
  if (!usage || usage.input === null) return null;
  return sumCosts([costOf(usage, receiver), ...opinions.map(({ cost }) => cost)]);
}

/** What steps, turns or sessions cost together: known when every part of it is, and there is one. */
export function sumCosts(costs: readonly (number | null)[]): number | null {
  if (costs.length === 0) return null;
  return costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}

export const noUsage: Usage = { input: null, read: null, written: null, output: null };

export function addUsage(one: Usage, other: Usage): Usage {
  const sum = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);
  return {
    input: sum(one.input, other.input),
    read: sum(one.read, other.read),
    written: sum(one.written, other.written),
    output: sum(one.output, other.output),
  };
}
