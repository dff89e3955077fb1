import { Problem } from "../../prompt/problem.ts";

/** Kinds of callers: `inbox` is a token that may only post messages, `signer` someone without a token who signs them. */
type CallerKind = "operator" | "user" | "agent" | "inbox" | "signer";

/** Limits of requests for a caller and for an address. */
export type ApiLimits = {
  /** Maximum requests a minute, by kind of caller; unused ones add up to one minute's worth. */
  readonly requestsPerMinute: Readonly<Record<CallerKind, number>>;
  /** Maximum concurrent requests, by kind of caller, including answers that are still being written. */
  readonly concurrentRequests: Readonly<Record<CallerKind, number>>;
  /** Maximum invalid tokens and codes a minute from one address; and as many invalid signatures, and as many new signers. */
  readonly failuresPerMinute: number;
  /** Maximum bytes of a request's body. */
  readonly bodyBytes: number;
  /** Maximum bytes of the body of a turn, which may bring pictures and files. */
  readonly turnBodyBytes: number;
};

const usualApiLimits: ApiLimits = {
  requestsPerMinute: { operator: 60_000, user: 600, agent: 6_000, inbox: 6_000, signer: 60 },
  concurrentRequests: { operator: 2_000, user: 50, agent: 200, inbox: 200, signer: 10 },
  failuresPerMinute: 20,
  bodyBytes: 1_048_576,
  turnBodyBytes: 16_777_216,
};

/** Limits that replace the defaults. A single number for `requestsPerMinute` applies to every kind of caller. */
export type ApiLimitOptions = {
  readonly requestsPerMinute?: number | Partial<ApiLimits["requestsPerMinute"]>;
  readonly concurrentRequests?: Partial<ApiLimits["concurrentRequests"]>;
  readonly failuresPerMinute?: number;
  readonly bodyBytes?: number;
  /** Maximum bytes of a turn's body; defaults to `bodyBytes` if that is set. */
  readonly turnBodyBytes?: number;
};

export function apiLimits(given: ApiLimitOptions = {}): ApiLimits {
  const { requestsPerMinute, concurrentRequests, failuresPerMinute, bodyBytes, turnBodyBytes } = usualApiLimits;
  const perMinute = given.requestsPerMinute;
  const same =
    typeof perMinute === "number"
      ? { operator: perMinute, user: perMinute, agent: perMinute, inbox: perMinute, signer: perMinute }
      : perMinute;
  const limits = {
    requestsPerMinute: { ...requestsPerMinute, ...same },
    concurrentRequests: { ...concurrentRequests, ...given.concurrentRequests },
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

/** Rate limiter: allows a number of events a minute; unused ones add up to one minute's worth. */
type RateLimiter = {
  /** Counts an event for `key`, and returns 0; if there is no room for it, returns the seconds to wait. */
  readonly consume: (key: string, perMinute: number) => number;
  /** Returns the seconds to wait, without counting. */
  readonly waitSeconds: (key: string, perMinute: number) => number;
  readonly size: () => number;
};

/**
 * Keeps one number for each key: the time when all its events will have been earned back. A key past that time is forgotten;
 * beyond `maxKeys` keys the oldest are, so that a crowd of made-up addresses cannot fill the memory.
 */
export function createRateLimiter(now: () => number, maxKeys = 20_000): RateLimiter {
  const earnedAt = new Map<string, number>();
  const ahead = (key: string) => Math.max(0, (earnedAt.get(key) ?? 0) - now());
  const wait = (key: string, perMinute: number) => {
    const excessMs = ahead(key) + 60_000 / perMinute - 60_000;
    return excessMs <= 0 ? 0 : Math.max(1, Math.ceil(excessMs / 1000));
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

/** Deletes the oldest tenth of the keys, and all that have earned everything back. */
function forget(earnedAt: Map<string, number>, now: number): void {
  const enough = Math.ceil(earnedAt.size / 10);
  let count = 0;
  for (const [key, at] of earnedAt) {
    if (count++ < enough || at <= now) earnedAt.delete(key);
  }
}
