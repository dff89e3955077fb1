import type { Context, Hono } from "hono";
import { setCookie } from "hono/cookie";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import type { ApiEnv } from "../api.ts";
import { readBody } from "../http/body.ts";
import { cookieName } from "./credentials.ts";
import { type FailedAttempts, tooManyRequests } from "./failed-attempts.ts";
import { checkSameOrigin } from "./same-origin.ts";

const sessionDays = 30;

/** Hands in a code for a cookie. */
export function serveSignIn(
  app: Hono<ApiEnv>,
  about: { readonly store: Store; readonly guesses: FailedAttempts; readonly clock: () => Date },
): void {
  const { store, guesses, clock } = about;
  app.post("/sign-in", async (context) => {
    checkSameOrigin(context);
    const seconds = guesses.waitSeconds(context);
    if (seconds > 0) return tooManyRequests(context, seconds, "Too many codes from this address were nobody's.");
    const code = codeIn(await readBody(context, 10_000));
    if (code === undefined || !(await store.tokens.redeem(code))) {
      guesses.count(context, code ?? "");
      throw new Problem(
        "bad-sign-in",
        "The sign-in link is unknown, has expired or was already used.",
        "Ask for a new one: `charter tokens sign-in`.",
      );
    }
    const expiresAt = new Date(clock().getTime() + sessionDays * 86_400_000).toISOString();
    const { secret } = await store.tokens.create({ name: "signed in", kind: "operator", expiresAt });
    setSession(context, secret, sessionDays * 86_400);
    return context.json({ signedIn: true, expiresAt });
  });
}

/** Behind the gate: ends the session of the cookie that asks. */
export function serveSignOut(app: Hono<ApiEnv>, store: Store): void {
  app.post("/sign-out", async (context) => {
    const caller = context.get("caller");
    if (caller.by === "cookie") await store.tokens.revoke(caller.id);
    setSession(context, "", 0);
    return context.json({ signedIn: false });
  });
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
function setSession(context: Context<ApiEnv>, secret: string, maxAge: number): void {
  const secure = context.req.url.startsWith("https:") || context.req.header("origin")?.startsWith("https:") === true;
  setCookie(context, cookieName(context.req.url), secret, { maxAge, httpOnly: true, secure, sameSite: "Strict" });
}
