import type { Context } from "hono";
import { sha256 } from "../../store/texts/sha256.ts";
import type { Asked } from "../http/api.ts";
import { problemAnswer } from "../http/error.ts";
import type { ApiLimits } from "../http/limits.ts";
import { addressOf } from "./address.ts";
import { createRate } from "./rate.ts";

/** Counts what was nobody's, by address: tokens, sign-in codes, webhooks' secrets. */
export type Guesses = {
  /** Seconds to wait before another is looked at. */
  readonly wait: (context: Context<Asked>) => number;
  /** The same wrong secret again is someone who has not noticed yet, and no guess. */
  readonly count: (context: Context<Asked>, secret: string) => void;
};

const remembered = 10_000;

export function createGuesses(limits: ApiLimits, now: () => number, proxies: number | undefined): Guesses {
  const rate = createRate(now);
  const wrong = new Set<string>();
  return {
    wait: (context) => (rate.size() === 0 ? 0 : rate.wait(addressOf(context, proxies), limits.failuresPerMinute)),
    count: (context, secret) => {
      const digest = sha256(secret);
      if (wrong.has(digest)) return;
      if (wrong.add(digest).size > remembered) wrong.delete(wrong.values().next().value as string);
      rate.take(addressOf(context, proxies), limits.failuresPerMinute);
    },
  };
}

export function tooOften(context: Context<Asked>, seconds: number, what: string): Response {
  const told = { code: "rate-limited", message: what, hint: `Try again in ${seconds} s.` };
  return problemAnswer(context, told, { headers: { "retry-after": String(seconds) } });
}
