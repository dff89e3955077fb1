import type { Hono } from "hono";
import { signedOut } from "../../operations/caller.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import type { ApiEnv } from "../api.ts";
import { redeemCode, type SignIn, setSession } from "./sign-in-code.ts";

/** No request but those of the page for users carries it. */
const own = { whose: "chat", path: "/chat" } as const;

/**
 * Hands in a user's code, at the page for users. The session has two halves: a cookie, which scripts cannot read, and
 * one that the page keeps and sends as a header. Either of them alone is nothing.
 */
export function serveChatSignIn(app: Hono<ApiEnv>, about: SignIn): void {
  app.post("/chat/sign-in", async (context) => {
    const hint = "Ask for a new one: the assistant's bot (/web), or whoever runs the assistant.";
    const redeemed = await redeemCode(context, about, { whose: "user", hint });
    if (redeemed instanceof Response) return redeemed;
    const { user, agent, expiresAt } = redeemed;
    const [secret, half] = redeemed.secret.split(".") as [string, string];
    setSession(context, { ...own, secret });
    return context.json({ half, user, agent, expiresAt });
  });
}

/** Behind the gate: ends the session that asks, or all of this user's with this agent. */
export function serveChatSignOut(app: Hono<ApiEnv>, { tokens }: Store): void {
  app.post("/chat/sign-out", async (context) => {
    const caller = context.get("caller");
    if (caller.kind !== "user" || caller.by !== "chat-cookie" || caller.agent === undefined) throw signedOut();
    if (isEverywhere(await context.req.text())) await tokens.endChats({ agent: caller.agent, user: caller.user });
    else await tokens.revoke(caller.id);
    setSession(context, { ...own, secret: "" });
    return context.json({ signedIn: false });
  });
}

function isEverywhere(body: string): boolean {
  try {
    const { everywhere = false, ...others } = body === "" ? {} : JSON.parse(body);
    if (typeof everywhere === "boolean" && Object.keys(others).length === 0) return everywhere;
  } catch {
    // It is no JSON.
  }
  throw new Problem("bad-request", "The body is not understood.", "Send {}, or { everywhere: true }.");
}
