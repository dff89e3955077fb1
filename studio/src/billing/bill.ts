import type { Sample, SampleStep } from "./sample.ts";

/** Tokens by what they are billed as: read from the cache, written to it, or neither. */
export type Billing = { readonly read: number; readonly written: number; readonly fresh: number };

/** `by`: the provider counted it; or, where it says nothing, we predicted it. */
export type Bill = Billing & { readonly by: "provider" | "prediction" };

export const nothing: Billing = { read: 0, written: 0, fresh: 0 };

export const allOf = ({ read, written, fresh }: Billing): number => read + written + fresh;

export function add(one: Billing, other: Billing): Billing {
  return { read: one.read + other.read, written: one.written + other.written, fresh: one.fresh + other.fresh };
}

/** What a turn or a step was billed as; nothing where it never got so far. */
export function billOf({ usage, predicted }: Pick<Sample | SampleStep, "usage" | "predicted">): Bill | undefined {
  if (usage && usage.input !== null) {
    const read = Math.min(usage.input, usage.read ?? 0);
    const written = Math.min(usage.input - read, usage.written ?? 0);
    return { read, written, fresh: usage.input - read - written, by: "provider" };
  }
  return predicted ? { ...predicted, by: "prediction" } : undefined;
}

/** What a turn will have been charged for: where it failed and nothing was counted, nobody knows of anything. */
export function chargedFor(sample: Pick<Sample, "usage" | "predicted" | "state">): Bill | undefined {
  const bill = billOf(sample);
  return bill?.by === "provider" || sample.state === "answered" ? bill : undefined;
}

/** How much of what was sent came from the cache: 0 to 1; nothing where nothing was sent. */
export function hitRate(bill: Billing | undefined): number | undefined {
  if (!bill || allOf(bill) === 0) return undefined;
  return bill.read / allOf(bill);
}
