import type { Context, MiddlewareHandler } from "hono";
import { badToken, type Caller, noToken, onlyInbox, signedOut } from "../../operations/caller.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import type { ApiEnv } from "../api.ts";
import { readBody } from "../http/body.ts";
import { type ApiLimits, createRateLimiter } from "../http/limits.ts";
import { isForChat } from "../http/this-server.ts";
import type { AccessWatch } from "./access.ts";
import { type FailedAttempts, tooManyRequests } from "./failed-attempts.ts";
import { checkSameOrigin, credentialsOf, type FindCaller, isForInbox } from "./find-caller.ts";
import type { FindSigner } from "./signed-caller.ts";

/** Lets nobody through without saying who is asking, and nobody more often than they may. */
export function authenticate(about: {
  readonly callers: FindCaller;
  /** Where messages may be signed instead of posted with a token. */
  readonly signers?: FindSigner | undefined;
  readonly watch: AccessWatch;
  readonly limits: ApiLimits;
  readonly guesses: FailedAttempts;
  readonly now: () => number;
}): MiddlewareHandler<ApiEnv> {
  const { callers, watch, limits, guesses } = about;
  const rate = createRateLimiter(about.now);
  const welcome = createKnownSecrets();
  const running = new Map<string, number>();
  /** Whoever shows something, by what they show; whoever shows nothing, by the message they signed. */
  const identify = async (context: Context<ApiEnv>): Promise<Caller | Response> => {
    const credentials = credentialsOf(context);
    const chat = isForChat(context.req.path);
    if (!credentials && chat) throw signedOut();
    if (!credentials) return (await about.signers?.(context)) ?? Promise.reject(noToken());
    const seconds = guesses.waitSeconds(context);
    if (seconds > 0 && !welcome.has(credentials.secret))
      return tooManyRequests(context, seconds, "Too many invalid tokens came from this address.");
    const caller = await callers(credentials, context.req);
    if (!caller) guesses.count(context, credentials.secret);
    if (!caller || caller === "over") throw chat ? signedOut() : badToken();
    welcome.add(credentials.secret);
    if (caller.by === "cookie" || caller.by === "chat-cookie") checkSameOrigin(context);
    return caller;
  };
  return async (context, next) => {
    const caller = await identify(context);
    if (caller instanceof Response) return caller;
    const later = rate.consume(caller.id, limits.requestsPerMinute[caller.kind]);
    if (later > 0) return tooManyRequests(context, later, "This caller sends too many requests.");
    const count = running.get(caller.id) ?? 0;
    if (count >= limits.concurrentRequests[caller.kind])
      return tooManyRequests(context, 1, "This caller has too many open requests.");
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
      if (caller.kind === "inbox" && !isForInbox(context.req.method, context.req.path)) throw onlyInbox();
      if (caller.by !== "signature")
        await readBody(context, isTurn(context.req) ? limits.turnBodyBytes : limits.bodyBytes);
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
function createKnownSecrets(max = 10_000) {
  const known = createBoundedMap<string, true>(max);
  const end = (secret: string) => secret.slice(-16);
  return {
    has: (secret: string) => known.has(end(secret)),
    add: (secret: string) => known.set(end(secret), true),
  };
}

/** The one request that may bring pictures and files. */
function isTurn({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === "POST" && /\/api\/agents\/[^/]+\/turns$/.test(path);
}
