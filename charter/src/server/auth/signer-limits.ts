import type { Context } from "hono";
import { createBoundedMap } from "../../prompt/bounds.ts";
import type { ApiEnv } from "../api.ts";
import type { ApiLimits } from "../http/api-limits.ts";
import { addressOf } from "./address.ts";
import { shortDigest } from "./find-caller.ts";
import { createRateLimiter } from "./rate-limiter.ts";

/** Who says they signed, and whether the agent has talked with that address before. */
type Claim = { readonly sender: string; readonly known: boolean };

/**
 * How many strangers one address brings: a key costs nothing, so whoever makes a thousand is one. Those the agent knows
 * are not kept out by them. Wrong signatures are counted by address, too; those in the name of someone known, each
 * name for itself, so that nobody is kept out by what others say in another name.
 */
type SignerLimits = {
  /**
   * Seconds to wait before it is looked up whether the agent knows the sender: an address whose strangers were turned
   * away often enough costs no more of that. Who was let in lately is not kept out by it.
   */
  readonly lookSeconds: (context: Context<ApiEnv>, sender: string) => number;
  /** Seconds to wait before another signature is looked at. */
  readonly waitSeconds: (context: Context<ApiEnv>, claim: Claim) => number;
  /** The same stranger again is no other. */
  readonly countNew: (context: Context<ApiEnv>, sender: string) => void;
  readonly countWrong: (context: Context<ApiEnv>, claim: Claim) => void;
  /**
   * Whose request it is, for limits: the signer's, the first time a signature is seen. Whoever sends it again may have
   * caught it on its way, and is known by their address.
   */
  readonly callerId: (
    context: Context<ApiEnv>,
    signed: { readonly sender: string; readonly signature: string },
  ) => string;
};

const maxRemembered = 10_000;

export function createSignerLimits(
  { failuresPerMinute, requestsPerMinute }: ApiLimits,
  now: () => number,
  proxies: number | undefined,
): SignerLimits {
  const strangers = createRateLimiter(now);
  const wrong = createRateLimiter(now);
  const refused = createRateLimiter(now);
  const counted = createBoundedMap<string, true>(maxRemembered);
  const letIn = createBoundedMap<string, true>(maxRemembered);
  const seen = createBoundedMap<string, true>(maxRemembered);
  const wrongKey = (address: string, { sender, known }: Claim) => (known ? `${address} ${sender}` : address);
  return {
    lookSeconds: (context, sender) =>
      letIn.has(sender) ? 0 : refused.waitSeconds(addressOf(context, proxies), requestsPerMinute.signer),
    waitSeconds: (context, claim) => {
      const address = addressOf(context, proxies);
      const asStranger = claim.known ? 0 : strangers.waitSeconds(address, failuresPerMinute);
      const seconds = Math.max(asStranger, wrong.waitSeconds(wrongKey(address, claim), failuresPerMinute));
      if (seconds > 0) refused.consume(address, requestsPerMinute.signer);
      return seconds;
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
    callerId: (context, { sender, signature }) => {
      const again = seen.has(signature);
      seen.set(signature, true);
      letIn.set(sender, true);
      return again ? `again-${shortDigest(addressOf(context, proxies))}` : `signer-${shortDigest(sender)}`;
    },
  };
}
