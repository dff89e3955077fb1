import { microsOf } from "../../delivery/cost.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import type { CacheTokens } from "../../prompt/receipt.ts";

/** So long an answer every model of today takes to be asked for, where it is not known how long one may be. */
const usualTokens = 8192;

/**
 * The most tokens of an answer that what is left, in millionths of a dollar, pays for behind its request; nothing where it
 * pays for all that the model may write.
 */
export function answerLimit(
  left: number,
  { price, output, window }: Pick<Receiver, "price" | "output" | "window">,
  predicted: CacheTokens,
): number | undefined {
  if (!price || price.output <= 0) return undefined;
  const paid = Math.floor((left - microsOf(price, predicted)) / price.output);
  if (paid >= (output ?? window ?? Number.POSITIVE_INFINITY)) return undefined;
  return Math.max(0, Math.min(paid, output ?? usualTokens));
}
