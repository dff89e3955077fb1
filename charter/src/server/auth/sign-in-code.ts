import type { Context } from "hono";
import { setCookie } from "hono/cookie";
import { Problem } from "../../prompt/problem.ts";
import { type NewSession, sessionDays } from "../../store/accounts/tokens.ts";
import type { Store } from "../../store/store.ts";
import type { ApiEnv } from "../api.ts";
import { readBody } from "../http/body.ts";
import { cookieName } from "./credentials.ts";
import { type FailedAttempts, tooManyRequests } from "./failed-attempts.ts";
import { checkSameOrigin } from "./same-origin.ts";

/** What signing in needs. */
export type SignIn = { readonly store: Store; readonly guesses: FailedAttempts };

/**
 * The session that the code is spent for which is handed in; or the answer to someone who may not try for now. A code
 * that is for the other door is nobody's here, and stays good there.
 */
export async function redeemCode(
  context: Context<ApiEnv>,
  { store, guesses }: SignIn,
  { whose, hint }: { readonly whose: "operator" | "user"; readonly hint: string },
): Promise<NewSession | Response> {
  checkSameOrigin(context);
  const seconds = guesses.waitSeconds(context);
  if (seconds > 0) return tooManyRequests(context, seconds, "Too many invalid codes came from this address.");
  const code = codeIn(await readBody(context, 10_000));
  const token = code === undefined ? undefined : await store.tokens.redeem(code, whose);
  if (token) return token.session;
  guesses.count(context, code ?? "");
  throw new Problem("bad-sign-in", "The sign-in link is unknown, has expired or was already used.", hint);
}

function codeIn(body: string): string | undefined {
  try {
    const { code } = JSON.parse(body) as { code?: unknown };
    return typeof code === "string" && /^[\w-]{1,200}$/.test(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Scripts cannot read it, other sites' pages do not send it, and where there is TLS it never goes without. */
export function setSession(
  context: Context<ApiEnv>,
  about: {
    readonly whose: Parameters<typeof cookieName>[0];
    readonly path: string;
    /** None takes it away. */
    readonly secret: string;
    readonly seconds?: number;
  },
): void {
  const secure = context.req.url.startsWith("https:") || context.req.header("origin")?.startsWith("https:") === true;
  const { seconds = sessionDays * 86_400 } = about;
  setCookie(context, cookieName(about.whose, context.req.url), about.secret, {
    maxAge: about.secret === "" ? 0 : seconds,
    path: about.path,
    httpOnly: true,
    secure,
    sameSite: "Strict",
  });
}
