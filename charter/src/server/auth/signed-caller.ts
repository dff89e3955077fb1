import type { Context, MiddlewareHandler } from "hono";
import { isAddress } from "../../charters/ether.ts";
import { badToken, type Caller, noToken, onlyInbox, signedOut } from "../../operations/caller.ts";
import type { ValuesOf } from "../../operations/field.ts";
import { signedPost } from "../../operations/inbox/messages.ts";
import { type InvalidField, readFields } from "../../operations/read-input.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import type { ApiEnv } from "../api.ts";
import { readBody } from "../http/body.ts";
import { type ApiLimits, createRateLimiter } from "../http/limits.ts";
import { isForChat } from "../http/this-server.ts";
import { invalidAnswer } from "../operation-routes.ts";
import { type Curve, checkSignature, loadCurve, type SignedInbox } from "../signed-message.ts";
import type { AccessWatch } from "./access.ts";
import { checkSameOrigin, credentialsOf, type FindCaller, inboxPath, isForInbox, shortDigest } from "./find-caller.ts";
import { addressOf, type FailedAttempts, tooManyRequests } from "./sign-in.ts";

/**
 * Finds the signer of a message posted without a token. Returns a refusal if a limit is reached, undefined if it is no signed
 * message.
 */
type FindSigner = (context: Context<ApiEnv>) => Promise<Caller | Response | undefined>;

/** Maximum size of the body, in bytes: a message of 4,096 bytes, all of them escaped, and its other fields. */
const maxBodyBytes = 32_768;

const tooMany = "Too many new or invalid senders came from this address.";

export function createFindSigner(about: {
  readonly store: Store;
  readonly inbox: SignedInbox;
  readonly limits: ApiLimits;
  readonly proxies: number | undefined;
  readonly now: () => number;
}): FindSigner {
  const { store, inbox, limits, proxies, now } = about;
  const rate = createSignerLimits(limits, now, proxies);
  let curve: Promise<Curve> | undefined;
  return async (context) => {
    const { agent, message } = inboxPath(context.req.path) ?? {};
    if (context.req.method !== "POST" || agent === undefined || message !== undefined) return undefined;
    const posted = parsed(await readBody(context, Math.min(maxBodyBytes, limits.bodyBytes)));
    if (Object(posted).signature === undefined) return undefined;
    const invalid: InvalidField[] = [];
    const read = readFields(signedPost, Object(posted), { at: "body", isText: false, invalid });
    if (invalid.length > 0) return invalidAnswer(context, invalid);
    const { signature, ...words } = read as ValuesOf<typeof signedPost>;
    const sender = words.sender.toLowerCase();
    const wait = rate.lookSeconds(context, sender);
    if (wait > 0) return tooManyRequests(context, wait, tooMany);
    const known = isAddress(sender) && (await store.inbox.knows(agent, sender));
    const claim = { sender, known };
    curve ??= loadCurve();
    const loaded = await curve;
    // No `await` from here on, so that among concurrent requests each is counted before the next is checked.
    const seconds = rate.waitSeconds(context, claim);
    if (seconds > 0) return tooManyRequests(context, seconds, tooMany);
    try {
      const signed = { ...words, agent, service: inbox.service(), chain: inbox.chain };
      const address = checkSignature(signed, signature, { curve: loaded, now: now() });
      if (!known) rate.countNew(context, address);
      const id = rate.callerId(context, { sender: address, signature: signature.toLowerCase() });
      return { kind: "signer", by: "signature", id, agent, address, known };
    } catch (error) {
      if (error instanceof Problem) rate.countWrong(context, claim);
      throw error;
    }
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Claimed sender, and whether the agent has talked with that address before. */
type Claim = { readonly sender: string; readonly known: boolean };

/**
 * Limits of signed messages. New senders are counted by address, because keys cost nothing to make, and they cannot use up the
 * room of known ones. Wrong signatures are counted by address too; those in a known sender's name for that name alone, so that
 * nobody is locked out by others' use of another name.
 */
type SignerLimits = {
  /**
   * Returns the seconds to wait before the store is asked whether the agent knows the sender: an address with too many refused
   * strangers gets no more queries. A recently accepted sender need not wait.
   */
  readonly lookSeconds: (context: Context<ApiEnv>, sender: string) => number;
  /** Returns the seconds to wait before another signature is checked. */
  readonly waitSeconds: (context: Context<ApiEnv>, claim: Claim) => number;
  /** Counts a new sender; the same one again counts once. */
  readonly countNew: (context: Context<ApiEnv>, sender: string) => void;
  readonly countWrong: (context: Context<ApiEnv>, claim: Claim) => void;
  /**
   * Id of the request's caller, for limits: the signer's the first time a signature is seen. A repeated signature may have been
   * intercepted, so it counts for its client's address.
   */
  readonly callerId: (
    context: Context<ApiEnv>,
    signed: { readonly sender: string; readonly signature: string },
  ) => string;
};

const maxRemembered = 10_000;

function createSignerLimits(
  { failuresPerMinute, requestsPerMinute }: ApiLimits,
  now: () => number,
  proxies: number | undefined,
): SignerLimits {
  const strangers = createRateLimiter(now);
  const wrong = createRateLimiter(now);
  const refused = createRateLimiter(now);
  const counted = createBoundedMap<string, true>(maxRemembered);
  const letIn = createBoundedMap<string, true>(maxRemembered);
  const seenSignatures = createBoundedMap<string, true>(maxRemembered);
  const wrongKey = (address: string, { sender, known }: Claim) => (known ? `${address} ${sender}` : address);
  return {
    lookSeconds: (context, sender) =>
      letIn.has(sender) ? 0 : refused.waitSeconds(addressOf(context, proxies), requestsPerMinute.signer),
    waitSeconds: (context, claim) => {
      const address = addressOf(context, proxies);
      const asStranger = claim.known ? 0 : strangers.waitSeconds(address, failuresPerMinute);
      const seconds = Math.max(asStranger, wrong.waitSeconds(wrongKey(address, claim), failuresPerMinute));
      if (seconds > 0) refused.consume(address, requestsPerMinute.signer);
      return seconds;
    },
    countNew: (context, sender) => {
      const key = `${addressOf(context, proxies)} ${sender}`;
      if (counted.has(key)) return;
      counted.set(key, true);
      strangers.consume(addressOf(context, proxies), failuresPerMinute);
    },
    countWrong: (context, claim) => {
      wrong.consume(wrongKey(addressOf(context, proxies), claim), failuresPerMinute);
    },
    callerId: (context, { sender, signature }) => {
      const again = seenSignatures.has(signature);
      seenSignatures.set(signature, true);
      letIn.set(sender, true);
      return again ? `again-${shortDigest(addressOf(context, proxies))}` : `signer-${shortDigest(sender)}`;
    },
  };
}

/** Lets requests pass that have a caller, and only as often as that caller may ask. */
export function authenticate(about: {
  readonly callers: FindCaller;
  /** Finder of signers, where messages may be signed instead of posted with a token. */
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
  /** Identifies a caller by their credential; without one, by the message they signed. */
  const identify = async (context: Context<ApiEnv>): Promise<Caller | Response> => {
    const credentials = credentialsOf(context);
    const chat = isForChat(context.req.path);
    if (!credentials && chat) throw signedOut();
    if (!credentials) return (await about.signers?.(context)) ?? Promise.reject(noToken());
    const seconds = guesses.waitSeconds(context);
    if (seconds > 0 && !welcome.has(credentials.secret))
      return tooManyRequests(context, seconds, "Too many invalid tokens came from this address.");
    const caller = await callers(credentials, {
      method: context.req.method,
      path: context.req.path,
      header: (name) => context.req.header(name),
    });
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
    // A request counts until its work ends: otherwise a client could disconnect while its work goes on, and start more without
    // limit.
    const outgoing = context.env?.outgoing?.destroyed === false ? context.env.outgoing : undefined;
    let holding = outgoing ? 2 : 1;
    const access = watch.open(caller);
    const release = () => {
      if (--holding > 0) return;
      access.close();
      const remaining = (running.get(caller.id) ?? 1) - 1;
      if (remaining === 0) running.delete(caller.id);
      else running.set(caller.id, remaining);
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
      // Reading the body may take long, so the permission is checked again.
      access.ended.throwIfAborted();
      await next();
    } finally {
      release();
    }
  };
}

/**
 * Remembers recently accepted secrets. While too many guesses come from an address, its unknown secrets are refused unchecked but
 * known ones still work, so that nobody can lock out others who share the address. Only the end of a secret is kept, which is
 * enough to recognise it and opens nothing.
 */
function createKnownSecrets(max = 10_000) {
  const known = createBoundedMap<string, true>(max);
  const end = (secret: string) => secret.slice(-16);
  return {
    has: (secret: string) => known.has(end(secret)),
    add: (secret: string) => known.set(end(secret), true),
  };
}

/** Recognises the requests that may bring pictures and files. */
function isTurn({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === "POST" && (/\/api\/agents\/[^/]+\/turns$/.test(path) || path === "/v1/chat/completions");
}
