import type { Context } from "hono";
import { isAddress } from "../../charters/ether.ts";
import type { Caller } from "../../operations/caller.ts";
import type { ValuesOf } from "../../operations/field.ts";
import { signedPost } from "../../operations/inbox/post-message.ts";
import { type InvalidField, readFields } from "../../operations/read-input.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import type { ApiEnv } from "../api.ts";
import type { ApiLimits } from "../http/api-limits.ts";
import { readBody } from "../http/body.ts";
import { loadCurve } from "../inbox/load-curve.ts";
import { type Curve, checkSignature } from "../inbox/signature.ts";
import type { SignedInbox } from "../inbox/signed-inbox.ts";
import { invalidAnswer } from "../operation-routes.ts";
import { tooManyRequests } from "./failed-attempts.ts";
import { inboxPath } from "./inbox-path.ts";
import { createSignerLimits } from "./signer-limits.ts";

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
