import { createHash } from "node:crypto";
import type { Caller } from "../../operations/caller.ts";
import { addressOfReply, signerMessageId } from "../../operations/inbox/reply-secret.ts";
import type { Token } from "../../store/accounts/tokens.ts";
import type { Store } from "../../store/store.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { Credentials } from "./credentials.ts";
import { inboxPath } from "./inbox-path.ts";
import type { CheckJwt } from "./json-web-token.ts";

/**
 * Says who is asking. “over” is someone's who was known here once; undefined may be a guess. Looked up each time: a token
 * that is taken back opens nothing from then on, in every process.
 */
export type FindCaller = (credentials: Credentials, asked: Asked) => Promise<Caller | "over" | undefined>;

type Asked = { readonly method: string; readonly path: string };

export function createFindCaller(
  store: Store,
  { checkJwt, signed }: { readonly checkJwt?: CheckJwt | undefined; readonly signed: boolean },
): FindCaller {
  return async ({ secret, by }, { method, path }) => {
    const address = signed && by === "header" ? addressOfReply(secret) : undefined;
    if (address !== undefined) {
      const { agent, message } = inboxPath(path) ?? {};
      if ((method !== "GET" && method !== "HEAD") || agent === undefined || message === undefined) return undefined;
      if (!(await store.inbox.opensReply(agent, signerMessageId(address, message), sha256(secret)))) return undefined;
      return { kind: "signer", agent, address, id: `reply-${shortDigest(secret)}`, by: "secret" };
    }
    // A token of ours has no dots, a JSON Web Token has two.
    if (by === "header" && secret.includes(".")) {
      const found = await checkJwt?.(secret);
      if (found === undefined || found === "over") return found;
      const { user, ...about } = found;
      return { kind: "user", user, id: `jwt-${shortDigest(user)}`, by: "jwt", ...about };
    }
    if (by === "chat") return chatCaller(await store.tokens.authenticateChat(secret));
    const token = await store.tokens.authenticate(secret);
    return token && callerOf(token, by === "cookie" ? "cookie" : "token");
  };
}

/** A code that signs someone in is spent, never asked with. */
function callerOf({ id, name, kind, agent, user }: Token, by: "token" | "cookie"): Caller | undefined {
  if (kind === "operator") return { kind, id, by };
  if (kind === "user" && user !== null) return { kind, id, by, user, ...(agent !== null && { agent }) };
  if (kind === "agent" && agent !== null) return { kind, id, by, agent, ...(user !== null && { user }) };
  if (kind === "inbox" && agent !== null) return { kind, id, by, agent, name };
  return undefined;
}

/** At the page for users there are users alone, each with one agent. */
function chatCaller(token: Token | undefined): Caller | undefined {
  if (!token || token.user === null || token.agent === null) return undefined;
  return { kind: "user", id: token.id, by: "chat-cookie", user: token.user, agent: token.agent };
}

/** A user's id may be an e-mail address: logs and limits know it by this. */
export function shortDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
