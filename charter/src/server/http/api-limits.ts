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
