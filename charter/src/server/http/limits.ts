import { Problem } from "../../prompt/problem.ts";

/** Whose request it is: `inbox` is a token that may only post messages, `signer` someone without a token who signs them. */
type CallerKind = "operator" | "user" | "agent" | "inbox" | "signer";

/** How many requests a caller, and an address, may make. */
export type ApiLimits = {
  /** Requests a minute, by kind of caller; unused ones add up to one minute's worth. */
  readonly requestsPerMinute: Readonly<Record<CallerKind, number>>;
  /** Requests at once, by kind of caller: answers that are still being written count. */
  readonly concurrentRequests: Readonly<Record<CallerKind, number>>;
  /** Invalid tokens and codes from one address, a minute; and as many invalid signatures, and as many new signers. */
  readonly failuresPerMinute: number;
  /** Bytes of a request's body. */
  readonly bodyBytes: number;
  /** Bytes of the body of a turn, which may bring pictures and files. */
  readonly turnBodyBytes: number;
};

const usualApiLimits: ApiLimits = {
  requestsPerMinute: { operator: 60_000, user: 600, agent: 6_000, inbox: 6_000, signer: 60 },
  concurrentRequests: { operator: 2_000, user: 50, agent: 200, inbox: 200, signer: 10 },
  failuresPerMinute: 20,
  bodyBytes: 1_048_576,
  turnBodyBytes: 16_777_216,
};

/** Limits that replace the usual ones. One number for `requestsPerMinute` applies to every kind of caller. */
export type ApiLimitOptions = {
  readonly requestsPerMinute?: number | Partial<ApiLimits["requestsPerMinute"]>;
  readonly concurrentRequests?: Partial<ApiLimits["concurrentRequests"]>;
  readonly failuresPerMinute?: number;
  readonly bodyBytes?: number;
  /** `bodyBytes` where that is set and this is not. */
  readonly turnBodyBytes?: number;
};

export function apiLimits(given: ApiLimitOptions = {}): ApiLimits {
  const { requestsPerMinute, concurrentRequests: atOnce, failuresPerMinute, bodyBytes, turnBodyBytes } = usualApiLimits;
  const asked = given.requestsPerMinute;
  const same =
    typeof asked === "number" ? { operator: asked, user: asked, agent: asked, inbox: asked, signer: asked } : asked;
  const limits = {
    requestsPerMinute: { ...requestsPerMinute, ...same },
    concurrentRequests: { ...atOnce, ...given.concurrentRequests },
    failuresPerMinute: given.failuresPerMinute ?? failuresPerMinute,
    bodyBytes: given.bodyBytes ?? bodyBytes,
    turnBodyBytes: given.turnBodyBytes ?? given.bodyBytes ?? turnBodyBytes,
  };
  const { requestsPerMinute: rates, concurrentRequests: concurrent, ...rest } = limits;
  for (const [name, value] of [...Object.entries(rates), ...Object.entries(concurrent), ...Object.entries(rest)])
    if (!(value >= 1))
      throw new Problem(
        "bad-limit",
        `The limit “${name}” is ${value}.`,
        "Give a number from 1 up (Infinity for none).",
      );
  return limits;
}

/** How often something may happen: so many times a minute; what is left over adds up to one minute's worth. */
type RateLimiter = {
  /** Counts one more for `key`: 0 when there was room for it, else how many seconds to wait. */
  readonly consume: (key: string, perMinute: number) => number;
  /** Whether there is room, without counting. */
  readonly waitSeconds: (key: string, perMinute: number) => number;
  readonly size: () => number;
};

/**
 * One number for each key: when all that was taken so far will have been earned again. A key that has earned
 * everything back is as good as new and is forgotten; of more than `most` keys the one that was seen longest ago is, so
 * that a crowd of made-up addresses cannot fill the memory.
 */
export function createRateLimiter(now: () => number, maxKeys = 20_000): RateLimiter {
  const earnedAt = new Map<string, number>();
  const ahead = (key: string) => Math.max(0, (earnedAt.get(key) ?? 0) - now());
  const wait = (key: string, perMinute: number) => {
    const over = ahead(key) + 60_000 / perMinute - 60_000;
    return over <= 0 ? 0 : Math.max(1, Math.ceil(over / 1000));
  };
  return {
    waitSeconds: wait,
    consume: (key, perMinute) => {
      const seconds = wait(key, perMinute);
      if (seconds > 0) return seconds;
      const next = now() + ahead(key) + 60_000 / perMinute;
      earnedAt.delete(key);
      earnedAt.set(key, next);
      if (earnedAt.size > maxKeys) forget(earnedAt, now());
      return 0;
    },
    size: () => earnedAt.size,
  };
}

/** The oldest tenth, and all that are as good as new. */
function forget(earnedAt: Map<string, number>, now: number): void {
  const enough = Math.ceil(earnedAt.size / 10);
  let seen = 0;
  for (const [key, at] of earnedAt) {
    if (seen++ < enough || at <= now) earnedAt.delete(key);
  }
}
