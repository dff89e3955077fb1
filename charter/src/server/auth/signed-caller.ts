import type { Context } from "hono";
import { isAddress } from "../../charters/ether.ts";
import type { Caller } from "../../operations/caller.ts";
import type { ValuesOf } from "../../operations/field.ts";
import { signedPost } from "../../operations/inbox/post-message.ts";
import { type InvalidField, readFields } from "../../operations/read-input.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import type { ApiEnv } from "../api.ts";
import { readBody } from "../http/body.ts";
import { type ApiLimits, createRateLimiter } from "../http/limits.ts";
import { invalidAnswer } from "../operation-routes.ts";
import { type Curve, checkSignature, loadCurve, type SignedInbox } from "../signed-message.ts";
import { addressOf, tooManyRequests } from "./failed-attempts.ts";
import { inboxPath, shortDigest } from "./find-caller.ts";

/**
 * Says who signed the message that a request without a token posts; an answer, where it is not looked at; nothing, where
 * it is no signed message.
 */
export type FindSigner = (context: Context<ApiEnv>) => Promise<Caller | Response | undefined>;

/** A message of 4,096 bytes, each of them escaped, and what goes with it. */
const maxBytes = 32_768;

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
    const posted = parsed(await readBody(context, Math.min(maxBytes, limits.bodyBytes)));
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
    // From here on nothing is waited for: of those who come at once, each is counted before the next is looked at.
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

/** Who says they signed, and whether the agent has talked with that address before. */
type Claim = { readonly sender: string; readonly known: boolean };

/**
 * How many strangers one address brings: a key costs nothing, so whoever makes a thousand is one. Those the agent knows
 * are not kept out by them. Wrong signatures are counted by address, too; those in the name of someone known, each
 * name for itself, so that nobody is kept out by what others say in another name.
 */
type SignerLimits = {
  /**
   * Seconds to wait before it is looked up whether the agent knows the sender: an address whose strangers were turned
   * away often enough costs no more of that. Who was let in lately is not kept out by it.
   */
  readonly lookSeconds: (context: Context<ApiEnv>, sender: string) => number;
  /** Seconds to wait before another signature is looked at. */
  readonly waitSeconds: (context: Context<ApiEnv>, claim: Claim) => number;
  /** The same stranger again is no other. */
  readonly countNew: (context: Context<ApiEnv>, sender: string) => void;
  readonly countWrong: (context: Context<ApiEnv>, claim: Claim) => void;
  /**
   * Whose request it is, for limits: the signer's, the first time a signature is seen. Whoever sends it again may have
   * caught it on its way, and is known by their address.
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
  const seen = createBoundedMap<string, true>(maxRemembered);
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
      const again = seen.has(signature);
      seen.set(signature, true);
      letIn.set(sender, true);
      return again ? `again-${shortDigest(addressOf(context, proxies))}` : `signer-${shortDigest(sender)}`;
    },
  };
}
