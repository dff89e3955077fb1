import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";

/** What a request shows to say who is asking. */
export type Credentials = { readonly secret: string; readonly by: "header" | "cookie" };

/** A header is meant; a cookie comes by itself. Where both are there, the header counts and the cookie is not tried. */
export function credentialsOf(context: Context<ApiEnv>): Credentials | undefined {
  const header = context.req.header("authorization");
  if (header !== undefined) return { secret: bearer(header), by: "header" };
  const secret = getCookie(context, cookieName(context.req.url));
  return secret !== undefined && /^[\w-]{1,200}$/.test(secret) ? { secret, by: "cookie" } : undefined;
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
export function cookieName(url: string): string {
  const port = /^\w+:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/.exec(url)?.[1];
  return port === undefined ? "charter_session" : `charter_session_${port}`;
}
