import type { Context } from "hono";
import { createBoundedMap } from "../../prompt/bounds.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { ApiEnv } from "../api.ts";
import type { ApiLimits } from "../http/api-limits.ts";
import { problemAnswer } from "../http/error.ts";
import { addressOf } from "./address.ts";
import { createRateLimiter } from "./rate-limiter.ts";

/** Counts what was nobody's, by address: tokens, sign-in codes, webhooks' secrets. */
export type FailedAttempts = {
  /** Seconds to wait before another is looked at. */
  readonly waitSeconds: (context: Context<ApiEnv>) => number;
  /** The same wrong secret again is someone who has not noticed yet, and no guess. */
  readonly count: (context: Context<ApiEnv>, secret: string) => void;
};

const maxRemembered = 10_000;

export function createFailedAttempts(
  limits: ApiLimits,
  now: () => number,
  proxies: number | undefined,
): FailedAttempts {
  const rate = createRateLimiter(now);
  const wrong = createBoundedMap<string, true>(maxRemembered);
  return {
    waitSeconds: (context) =>
      rate.size() === 0 ? 0 : rate.waitSeconds(addressOf(context, proxies), limits.failuresPerMinute),
    count: (context, secret) => {
      const digest = sha256(secret);
      if (wrong.has(digest)) return;
      wrong.set(digest, true);
      rate.consume(addressOf(context, proxies), limits.failuresPerMinute);
    },
  };
}

export function tooManyRequests(context: Context<ApiEnv>, seconds: number, what: string): Response {
  const told = { code: "rate-limited", message: what, hint: `Try again in ${seconds} s.` };
  return problemAnswer(context, told, { headers: { "retry-after": String(seconds) } });
}
