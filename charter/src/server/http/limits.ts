import type { Context } from "hono";
import { grouped, Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";

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

/** How deep JSON may nest: far more than any request needs, far less than what brings a reader down. */
const maxDepth = 64;
/** How many values it may hold: a longer list of wrong ones costs seconds to find fault with, one by one. */
const maxValues = 50_000;

/**
 * Reads a request's body, once, and no more of it than allowed: what says it is too long is not read at all, what does
 * not say is read until it is. Afterwards every reader finds it already read.
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

/** Bytes are read as UTF-8. Those that are said to be anything else may have other words in them. */
export function checkCharset(headers: Headers): void {
  const named = (headers.get("content-type") ?? "").matchAll(/;\s*charset\s*=\s*"?([^\s;"]*)/gi);
  const other = [...named].map(([, name = ""]) => name).find((name) => !charsets.includes(name.toLowerCase()));
  if (other === undefined) return;
  throw new Problem(
    "bad-content-type",
    `The body is said to be in the charset “${other}”.`,
    "Send it as UTF-8, with the header “content-type: application/json”.",
  );
}

/** The router keeps what it has read, as a promise; its types say otherwise. */
function keep(context: Context<ApiEnv>, text: string): void {
  const kept: { text?: unknown } = context.req.bodyCache;
  kept.text = Promise.resolve(text);
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

/** Someone's words are never quietly changed: what is no UTF-8 is not guessed at. */
function decode(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Problem("bad-request", "The body is not UTF-8.", "Send JSON as UTF-8, which it always is.");
  }
}

/** Counted before it is parsed: what has no end in either way costs whoever walks it, not only the parser. */
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

/** Whoever goes away in the middle of a sentence is no fault of the server's. */
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
