import { Problem } from "../../prompt/problem.ts";
import type { Log } from "../observe/log.ts";

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
