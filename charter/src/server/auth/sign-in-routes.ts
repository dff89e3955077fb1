import type { Hono } from "hono";
import type { Store } from "../../store/store.ts";
import type { ApiEnv } from "../api.ts";
import { type CommandHint, commandLine } from "../http/command-hint.ts";
import { redeemCode, type SignIn, setSession } from "./sign-in-code.ts";

const own = { whose: "session", path: "/" } as const;

/** Hands in a code for a cookie. */
export function serveSignIn(app: Hono<ApiEnv>, about: SignIn, command: CommandHint): void {
  app.post("/sign-in", async (context) => {
    const hint = `Ask for a new one: \`${commandLine(command, "tokens sign-in")}\`.`;
    const redeemed = await redeemCode(context, about, { whose: "operator", hint });
    if (redeemed instanceof Response) return redeemed;
    const { secret, expiresAt } = redeemed;
    setSession(context, { ...own, secret });
    return context.json({ signedIn: true, expiresAt });
  });
}

/** Behind the gate: ends the session of the cookie that asks. */
export function serveSignOut(app: Hono<ApiEnv>, store: Store): void {
  app.post("/sign-out", async (context) => {
    const caller = context.get("caller");
    if (caller.by === "cookie") await store.tokens.revoke(caller.id);
    setSession(context, { ...own, secret: "" });
    return context.json({ signedIn: false });
  });
}
