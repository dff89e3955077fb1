import type { MiddlewareHandler } from "hono";
import type { Asked } from "../http/api.ts";
import { readBody } from "../http/body.ts";
import { badToken, noToken } from "../http/caller.ts";
import type { ApiLimits } from "../http/limits.ts";
import type { AccessWatch } from "./access.ts";
import { credentialsOf } from "./credentials.ts";
import { type Guesses, tooOften } from "./failed-attempts.ts";
import type { Callers } from "./find-caller.ts";
import { createRate } from "./rate.ts";
import { checkOwnPage } from "./same-origin.ts";

/** Lets nobody through without saying who is asking, and nobody more often than they may. */
export function gate(about: {
  readonly callers: Callers;
  readonly watch: AccessWatch;
  readonly limits: ApiLimits;
  readonly guesses: Guesses;
  readonly now: () => number;
}): MiddlewareHandler<Asked> {
  const { callers, watch, limits, guesses } = about;
  const rate = createRate(about.now);
  const welcome = createWelcome();
  const running = new Map<string, number>();
  return async (context, next) => {
    const credentials = credentialsOf(context);
    if (!credentials) throw noToken();
    const seconds = guesses.wait(context);
    if (seconds > 0 && !welcome.has(credentials.secret))
      return tooOften(context, seconds, "Too many tokens from this address were nobody's.");
    const caller = await callers(credentials);
    if (!caller) guesses.count(context, credentials.secret);
    if (!caller || caller === "over") throw badToken();
    welcome.add(credentials.secret);
    if (caller.by === "cookie") checkOwnPage(context);
    const later = rate.take(caller.id, limits.requestsPerMinute[caller.kind]);
    if (later > 0) return tooOften(context, later, "This caller asks more often than it may.");
    const count = running.get(caller.id) ?? 0;
    if (count >= limits.atOnce[caller.kind]) return tooOften(context, 1, "This caller asks more at once than it may.");
    running.set(caller.id, count + 1);
    // Who goes while their work goes on would otherwise have room for more of it, without end.
    const outgoing = context.env?.outgoing?.destroyed === false ? context.env.outgoing : undefined;
    let holding = outgoing ? 2 : 1;
    const access = watch.open(caller);
    const release = () => {
      if (--holding > 0) return;
      access.close();
      const left = (running.get(caller.id) ?? 1) - 1;
      if (left === 0) running.delete(caller.id);
      else running.set(caller.id, left);
    };
    outgoing?.once("close", release);
    try {
      context.set("caller", caller);
      context.set("access", access);
      context.set("hold", (work) => {
        holding++;
        work.then(release, release);
      });
      await readBody(context, limits.bodyBytes);
      // A body may take its time.
      access.ended.throwIfAborted();
      await next();
    } finally {
      release();
    }
  };
}

/**
 * Who was let in lately. While too many guesses come from an address, its strangers are not looked at any more; those
 * who are known still are, so that nobody can lock others out who share an address with them. The end of a secret is
 * enough to know it by, and opens nothing.
 */
function createWelcome(most = 10_000) {
  const known = new Set<string>();
  const end = (secret: string) => secret.slice(-16);
  return {
    has: (secret: string) => known.has(end(secret)),
    add: (secret: string) => {
      if (known.add(end(secret)).size > most) known.delete(known.values().next().value as string);
    },
  };
}
