import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";
import { isForChat } from "../http/chat-path.ts";

/** What a request shows to say who is asking. */
export type Credentials = { readonly secret: string; readonly by: "header" | "cookie" | "chat" };

/** A header is meant; a cookie comes by itself. Where both are there, the header counts and the cookie is not tried. */
export function credentialsOf(context: Context<ApiEnv>): Credentials | undefined {
  if (isForChat(context.req.path)) return chatOf(context);
  const header = context.req.header("authorization");
  if (header !== undefined) return { secret: bearer(header), by: "header" };
  const secret = getCookie(context, cookieName("session", context.req.url));
  return secret !== undefined && /^[\w-]{1,200}$/.test(secret) ? { secret, by: "cookie" } : undefined;
}

/** A cookie, and what the page keeps beside it: whoever has one of them has nothing. */
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

/** Browsers give a cookie to every port of a machine: servers side by side on one keep theirs apart by its name. */
export function cookieName(whose: "session" | "chat" | "oidc", url: string): string {
  const port = /^\w+:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/.exec(url)?.[1];
  return port === undefined ? `charter_${whose}` : `charter_${whose}_${port}`;
}
