import { isIP } from "node:net";
import type { Context } from "hono";
import { createBoundedMap } from "../../prompt/bounds.ts";
import { Problem } from "../../prompt/problem.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { ApiEnv } from "../api.ts";
import { problemAnswer } from "../http/error.ts";
import { type ApiLimits, createRateLimiter } from "../http/limits.ts";
import type { Log } from "../observe/log.ts";

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

/**
 * Who is at the other end, for limits: an IPv4 address, or the /64 an IPv6 address lies in (whoever has one address of
 * it has them all). `proxies` says how many of our own stand before the server: each adds the address it saw to the end
 * of X-Forwarded-For, and what stands further to the left anyone may have written. Where nothing is said there are none,
 * on this very machine either: any program on it may send such a header. No other header is looked at.
 */
export function addressOf(context: Context<ApiEnv>, proxies = 0): string {
  const direct = context.env?.incoming?.socket.remoteAddress ?? "";
  const header = context.req.header("x-forwarded-for");
  if (proxies === 0 || header === undefined) return networkOf(direct);
  const seen = header.split(",").map((one) => one.trim());
  return networkOf(seen.at(-proxies) ?? (seen[0] as string));
}

export function networkOf(address: string): string {
  const plain = bare(address).replace(/^::ffff:(?=\d+\.)/i, "");
  if (isIP(plain) === 4) return plain;
  if (isIP(plain) !== 6) return "unknown";
  const [before = "", after] = plain
    .replace(/%.*$/, "")
    .replace(/[\d.]+\.\d+$/, "0:0")
    .split("::");
  const groups = before.split(":").filter((group) => group !== "");
  const rest = (after ?? "").split(":").filter((group) => group !== "");
  const all = [...groups, ...Array<string>(8 - groups.length - rest.length).fill("0"), ...rest];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}

/** An address without the brackets and the port some proxies write. */
function bare(address: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(address)?.[1];
  if (bracketed !== undefined) return bracketed;
  return isIP(address) === 0 ? address.replace(/:\d+$/, "") : address;
}

/** By these proxies say for whom they ask; so may anyone else. */
const headers = ["x-forwarded-for", "forwarded", "x-real-ip"] as const;

/**
 * Tells the operator, once, that requests come through a proxy nobody spoke of: all who come through it are one address
 * then, and share one limit of guesses. Where it was said how many there are, none included, there is nothing to tell.
 */
export function createForwardedNotice(proxies: number | undefined, log: Log | undefined): (request: Headers) => void {
  let told = proxies !== undefined || log === undefined;
  return (request) => {
    const header = told ? undefined : headers.find((name) => request.has(name));
    if (header === undefined) return;
    told = true;
    log?.({
      ...{ about: "server", kind: "proxies-not-set", header },
      message: `A request came with “${header}”, which is ignored.`,
      hint: "Set proxies (CHARTER_PROXIES) to how many proxies of yours add to X-Forwarded-For; 0 for none.",
    });
  };
}

/** How many stand before the server is counted from the end of a header: a number that is none would count strangers' words. */
export function checkProxies(proxies: number | undefined): void {
  if (proxies === undefined || (Number.isSafeInteger(proxies) && proxies >= 0)) return;
  throw new Problem(
    "bad-config",
    `“proxies” is ${proxies}.`,
    "Give how many proxies of yours add to X-Forwarded-For: a whole number from 0 up.",
  );
}
