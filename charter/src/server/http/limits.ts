import type { Context } from "hono";
import { grouped, Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";

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

/** Maximum depth of JSON: far more than any request needs, far less than what overflows a parser's stack. */
const maxDepth = 64;
/** Maximum number of values in JSON: finding fault with more of them, one by one, would take seconds. */
const maxValues = 50_000;

/**
 * Reads a request's body once, up to a limit. A body with a larger content-length is not read at all; without one, reading stops
 * at the limit. Later readers get the text that was read.
 */
export async function readBody(context: Context<ApiEnv>, maxBytes: number): Promise<string> {
  const { raw, method } = { raw: context.req.raw, method: context.req.method };
  if (method === "GET" || method === "HEAD") return "";
  checkCharset(raw.headers);
  const length = raw.headers.get("content-length");
  if (length !== null && !(Number(length) <= maxBytes)) throw tooLarge(maxBytes);
  const measured = length !== null && context.env?.incoming !== undefined && !raw.headers.has("transfer-encoding");
  const bytes = await (measured ? raw.arrayBuffer() : readStream(raw.body, maxBytes)).catch(rethrowCutOff);
  const text = decode(bytes);
  keep(context, text);
  checkShape(text);
  return text;
}

const charsets: readonly string[] = ["utf-8", "utf8", "us-ascii", "ascii"];

/** Refuses charsets other than UTF-8: decoded as UTF-8, their text would be another. */
export function checkCharset(headers: Headers): void {
  const charsetsNamed = (headers.get("content-type") ?? "").matchAll(/;\s*charset\s*=\s*"?([^\s;"]*)/gi);
  const other = [...charsetsNamed].map(([, name = ""]) => name).find((name) => !charsets.includes(name.toLowerCase()));
  if (other === undefined) return;
  throw new Problem(
    "bad-content-type",
    `The body is said to be in the charset “${other}”.`,
    "Send it as UTF-8, with the header “content-type: application/json”.",
  );
}

/** Stores the text where the router looks for it: as a promise, although its types say otherwise. */
function keep(context: Context<ApiEnv>, text: string): void {
  const cached: { text?: unknown } = context.req.bodyCache;
  cached.text = Promise.resolve(text);
}

async function readStream(body: ReadableStream<Uint8Array> | null, max: number): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    size += value.length;
    if (size > max) {
      await reader.cancel().catch(() => {});
      throw tooLarge(max);
    }
    chunks.push(value);
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Decodes UTF-8 and refuses invalid bytes: text is never changed silently by a guess. */
function decode(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Problem("bad-request", "The body is not UTF-8.", "Send JSON as UTF-8, which it always is.");
  }
}

/**
 * Checks depth and number of values before parsing: excess of either costs everyone who walks the result, not only the parser.
 */
function checkShape(text: string): void {
  let depth = 0;
  let values = 1;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) quoted = !quoted;
    else if (quoted) at += unit === 0x5c ? 1 : 0;
    else if (unit === 0x5b || unit === 0x7b) {
      if (++depth > maxDepth)
        throw new Problem("bad-request", `The body nests deeper than ${maxDepth} levels.`, "Send flatter JSON.");
    } else if (unit === 0x5d || unit === 0x7d) depth--;
    else if (unit === 0x2c && ++values > maxValues)
      throw new Problem("too-large", `The body has more than ${grouped(maxValues)} values.`, "Send fewer at once.");
  }
}

/** Turns an aborted upload into a refusal: it is the client's doing, and no fault of the server's. */
function rethrowCutOff(thrown: unknown): never {
  if (thrown instanceof Problem) throw thrown;
  throw new Problem("bad-request", "The body was cut off.", "Send it whole.");
}

function tooLarge(max: number): Problem {
  return new Problem(
    "too-large",
    `The body has more than ${grouped(max)} bytes.`,
    "Send less at once; the operator can raise the limit.",
  );
}
