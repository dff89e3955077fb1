import { createHash } from "node:crypto";
import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { type Caller, notAllowed } from "../../operations/caller.ts";
import { addressOfReply, signerMessageId } from "../../operations/inbox/messages.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Token } from "../../store/accounts/tokens.ts";
import { checkName, checkUser } from "../../store/scope.ts";
import type { Store } from "../../store/store.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { ApiEnv } from "../api.ts";
import { isForChat, isForGateway, isOwn } from "../http/this-server.ts";
import type { CheckJwt } from "./json-web-token.ts";

/**
 * Authenticates a request. “over” means a credential that was valid once; undefined may be a guess. It is proven each time, so
 * that a revoked token stops working at once, in every process.
 */
export type FindCaller = (credentials: Credentials, asked: Asked) => Promise<Caller | "over" | undefined>;

type Asked = {
  readonly method: string;
  readonly path: string;
  readonly header: (name: string) => string | undefined;
};

export function createFindCaller(
  store: Store,
  about: {
    readonly checkJwt?: CheckJwt | undefined;
    readonly signed: boolean;
    /** Header in which a chat page with one token names the person. */
    readonly userHeader?: string | undefined;
  },
): FindCaller {
  const { checkJwt, signed, userHeader } = about;
  return async ({ secret, by }, asked) => {
    const { method, path } = asked;
    const address = signed && by === "header" ? addressOfReply(secret) : undefined;
    if (address !== undefined) {
      const { agent, message } = inboxPath(path) ?? {};
      if ((method !== "GET" && method !== "HEAD") || agent === undefined || message === undefined) return undefined;
      if (!(await store.inbox.opensReply(agent, signerMessageId(address, message), sha256(secret)))) return undefined;
      return { kind: "signer", agent, address, id: `reply-${shortDigest(secret)}`, by: "secret" };
    }
    // Our tokens have no dots, a JSON Web Token has two.
    if (by === "header" && secret.includes(".")) {
      const claims = await checkJwt?.(secret);
      if (claims === undefined || claims === "over") return claims;
      const { user, ...about } = claims;
      return { kind: "user", user, id: `jwt-${shortDigest(user)}`, by: "jwt", ...about };
    }
    if (by === "chat") return chatCaller(await store.tokens.authenticateChat(secret));
    const token = await store.tokens.authenticate(secret);
    if (token?.kind === "gateway") return by === "header" ? personNamed(token, asked, userHeader) : undefined;
    return token && callerOf(token, by === "cookie" ? "cookie" : "token");
  };
}

/** Caller of a token; none for a sign-in code, which can only be redeemed. */
function callerOf({ id, name, kind, agent, user }: Token, by: "token" | "cookie"): Caller | undefined {
  if (kind === "operator") return { kind, id, by };
  if (kind === "user" && user !== null) return { kind, id, by, user, ...(agent !== null && { agent }) };
  if (kind === "agent" && agent !== null) return { kind, id, by, agent, ...(user !== null && { user }) };
  if (kind === "inbox" && agent !== null) return { kind, id, by, agent, name };
  return undefined;
}

/** Caller that a chat page names: whoever its header says, and turns are all they can ask for. */
function personNamed({ id, agent }: Token, { path, header }: Asked, userHeader: string | undefined): Caller {
  if (!isForGateway(path)) throw notAllowed("anything but turns under /v1");
  if (userHeader === undefined) throw notAllowed("turns: the setting “openaiUser” names no header");
  const user = header(userHeader)?.trim() ?? "";
  if (user === "")
    throw new Problem(
      "needs-user",
      `The request names no user: it has no header “${userHeader}”.`,
      "Let the page send it with each request.",
    );
  checkName("user", user);
  checkUser(user);
  const only = agent === null ? {} : { agent };
  return { kind: "user", by: "token", id: `${id}-${shortDigest(user)}`, token: id, user, ...only };
}

/** Caller at the page for users: always a user, with one agent. */
function chatCaller(token: Token | undefined): Caller | undefined {
  if (!token || token.user === null || token.agent === null) return undefined;
  return { kind: "user", id: token.id, by: "chat-cookie", user: token.user, agent: token.agent };
}

/** Digest that stands for a user in logs and limits, because a user's id may be an e-mail address. */
export function shortDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Credential a request carries. */
type Credentials = { readonly secret: string; readonly by: "header" | "cookie" | "chat" };

/**
 * Reads a request's credential. A header is sent on purpose and a cookie automatically, so a cookie next to a header is ignored.
 */
export function credentialsOf(context: Context<ApiEnv>): Credentials | undefined {
  if (isForChat(context.req.path)) return chatOf(context);
  const header = context.req.header("authorization");
  if (header !== undefined) return { secret: bearer(header), by: "header" };
  const secret = getCookie(context, cookieName("session", context.req.url));
  return secret !== undefined && /^[\w-]{1,200}$/.test(secret) ? { secret, by: "cookie" } : undefined;
}

/** Reads the session of the page for users: a cookie, and a half that the page keeps. Either of them alone is useless. */
function chatOf(context: Context<ApiEnv>): Credentials | undefined {
  const cookie = getCookie(context, cookieName("chat", context.req.url));
  const half = context.req.header("x-charter-half");
  const whole = [cookie, half].every((one) => one !== undefined && /^[\w-]{1,200}$/.test(one));
  return whole ? { secret: `${cookie}.${half}`, by: "chat" } : undefined;
}

function bearer(header: string): string {
  const secret = /^bearer +([\w.~+/=-]{1,8192})$/i.exec(header)?.[1];
  if (secret !== undefined) return secret;
  throw new Problem(
    "wrong-token",
    "The header “Authorization” holds no bearer token.",
    "Send it as “Authorization: Bearer <token>”.",
  );
}

/**
 * Cookie name, with the port in it: browsers give a cookie to every port of a machine, and servers side by side must not share
 * one.
 */
export function cookieName(whose: "session" | "chat" | "oidc", url: string): string {
  const port = /^\w+:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/.exec(url)?.[1];
  return port === undefined ? `charter_${whose}` : `charter_${whose}_${port}`;
}

/**
 * Protects requests with a cookie against other pages (CSRF), since browsers send the cookie whichever page asks, even from
 * another port. A change needs two things only our own page can have: the browser's word that it is the same origin, and a header
 * that other pages may not send without a preflight.
 */
export function checkSameOrigin(context: Context<ApiEnv>): void {
  const read = context.req.method === "GET" || context.req.method === "HEAD";
  const site = context.req.header("sec-fetch-site");
  const origin = context.req.header("origin");
  const foreign = site !== undefined && site !== "same-origin" && !(read && site === "none");
  const own = origin === undefined ? site === "same-origin" : isOwn(origin, context.req.url);
  if (!foreign && (read ? origin === undefined || own : own && context.req.header("x-charter-csrf") === "1")) return;
  throw new Problem(
    "foreign-page",
    "The sign-in cookie is accepted only from the server's own pages.",
    "From a program, send a token in the header “Authorization”; from the page, send “x-charter-csrf: 1” as well.",
  );
}

/** An agent's inbox, or one message in it, as named by a request's path. */
type InboxPath = { readonly agent: string; readonly message?: string };

/** Parses `/api/agents/ada/inbox` and `/api/agents/ada/inbox/0001`; nothing else. */
export function inboxPath(path: string): InboxPath | undefined {
  const [, agent, message] = /^\/api\/agents\/([^/]+)\/inbox(?:\/([^/]+))?$/.exec(path) ?? [];
  if (agent === undefined) return undefined;
  return { agent: decodeURIComponent(agent), ...(message !== undefined && { message: decodeURIComponent(message) }) };
}

const replies = /^\/api\/agents\/[^/]+\/outbox$/;

/** Recognises the three requests a token of kind “inbox” is for. It allows no other, whatever routes are added. */
export function isForInbox(method: string, path: string): boolean {
  const inbox = inboxPath(path);
  if (method === "POST") return inbox !== undefined && inbox.message === undefined;
  return (method === "GET" || method === "HEAD") && (inbox?.message !== undefined || replies.test(path));
}
