import type { Context } from "hono";
import { createBoundedMap } from "../../prompt/bounded-map.ts";
import type { ApiEnv } from "../api.ts";
import type { ApiLimits } from "../http/api-limits.ts";
import { addressOf } from "./address.ts";
import { createRateLimiter } from "./rate-limiter.ts";

/** Who says they signed, and whether the agent has talked with that address before. */
type Claim = { readonly sender: string; readonly known: boolean };

/**
 * How many strangers one address brings: a key costs nothing, so whoever makes a thousand is one. Those the agent knows
 * are not kept out by them. Wrong signatures are counted by address, too; those in the name of someone known, each
 * name for itself, so that nobody is kept out by what others say in another name.
 */
type SignerLimits = {
  /** Seconds to wait before another signature is looked at. */
  readonly waitSeconds: (context: Context<ApiEnv>, claim: Claim) => number;
  /** The same stranger again is no other. */
  readonly countNew: (context: Context<ApiEnv>, sender: string) => void;
  readonly countWrong: (context: Context<ApiEnv>, claim: Claim) => void;
};

const maxRemembered = 10_000;

export function createSignerLimits(
  { failuresPerMinute }: ApiLimits,
  now: () => number,
  proxies: number | undefined,
): SignerLimits {
  const strangers = createRateLimiter(now);
  const wrong = createRateLimiter(now);
  const counted = createBoundedMap<string, true>(maxRemembered);
  const wrongKey = (address: string, { sender, known }: Claim) => (known ? `${address} ${sender}` : address);
  return {
    waitSeconds: (context, claim) => {
      const address = addressOf(context, proxies);
      const asStranger = claim.known ? 0 : strangers.waitSeconds(address, failuresPerMinute);
      return Math.max(asStranger, wrong.waitSeconds(wrongKey(address, claim), failuresPerMinute));
    },
    countNew: (context, sender) => {
      const key = `${addressOf(context, proxies)} ${sender}`;
      if (counted.has(key)) return;
      counted.set(key, true);
      strangers.consume(addressOf(context, proxies), failuresPerMinute);
    },
    countWrong: (context, claim) => {
      wrong.consume(wrongKey(addressOf(context, proxies), claim), failuresPerMinute);
    },
  };
}
