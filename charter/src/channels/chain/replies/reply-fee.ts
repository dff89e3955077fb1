/** What a transaction offers for its gas, in wei. */
export type GasFee = {
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
};

/** What the chain asks just now: the gas the call needs, the base fee of the next block, and the usual tip. */
export type FeeQuote = { readonly gas: bigint; readonly baseFee: bigint; readonly tip: bigint };

/** The most a transaction may cost, and the most all of a day may; what of that was spent or promised already. */
export type FeeLimits = { readonly perReply: bigint; readonly perDay: bigint };

/** A fee, or which limit it would pass: what it needs at least stands beside it. */
export type FeeChoice =
  | { readonly kind: "fee"; readonly fee: GasFee }
  | { readonly kind: "over"; readonly limit: keyof FeeLimits; readonly needed: bigint };

/**
 * What to offer. A base fee rises by an eighth a block at most: less than that again would wait, and twice of it holds
 * for five blocks. Between the two, the limits decide. What replaces another offer has to be a quarter more.
 */
export function chooseFee(
  { gas, baseFee, tip }: FeeQuote,
  limits: FeeLimits & { readonly spent: bigint },
  replaced?: Pick<GasFee, "maxFeePerGas" | "maxPriorityFeePerGas">,
): FeeChoice {
  const priority = larger(tip, raised(replaced?.maxPriorityFeePerGas));
  const least = larger(baseFee + baseFee / 8n + priority, raised(replaced?.maxFeePerGas));
  const left = limits.perDay - limits.spent;
  const needed = gas * least;
  if (needed > limits.perReply) return { kind: "over", limit: "perReply", needed };
  if (needed > left) return { kind: "over", limit: "perDay", needed };
  const most = larger(least, 2n * baseFee + priority);
  const allowed = (limits.perReply < left ? limits.perReply : left) / gas;
  const maxFeePerGas = most < allowed ? most : larger(allowed, least);
  return { kind: "fee", fee: { gas, maxFeePerGas, maxPriorityFeePerGas: priority } };
}

/** The most it can cost. */
export function costOf({ gas, maxFeePerGas }: Pick<GasFee, "gas" | "maxFeePerGas">): bigint {
  return gas * maxFeePerGas;
}

function raised(fee: bigint | undefined): bigint {
  return fee === undefined ? 0n : fee + (fee + 3n) / 4n;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
