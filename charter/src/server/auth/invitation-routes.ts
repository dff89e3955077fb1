import type { Hono } from "hono";
import { Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";
import { tooManyRequests } from "./failed-attempts.ts";
import type { BeginOidc } from "./oidc/oidc-routes.ts";
import type { SignIn } from "./sign-in-code.ts";
import { askedStep } from "./sign-in-step.ts";

/**
 * Hands an invitation in. Where people sign in at an issuer it leads there, and is spent when they come back; else it is
 * spent for a code at once.
 */
export function serveInvitations(
  app: Hono<ApiEnv>,
  { store: { invitations }, guesses }: SignIn,
  begin: BeginOidc | undefined,
): void {
  app.post("/chat/invitation", async (context) => {
    const asked = await askedStep(context);
    const seconds = guesses.waitSeconds(context);
    if (seconds > 0) return tooManyRequests(context, seconds, "Too many invalid codes came from this address.");
    const invitation = begin && (await invitations.find(asked.code));
    if (begin && invitation) {
      const { id, user, agent } = invitation;
      return begin(context, asked, { leadsTo: id, user, agent });
    }
    const signIn = begin ? undefined : await invitations.accept(asked.code);
    if (signIn) return context.json({ url: `/chat#${signIn.secret}` });
    guesses.count(context, asked.code);
    throw new Problem(
      "bad-sign-in",
      "The invitation is unknown, has expired or was already used.",
      "If you have used it, sign in at /chat. If not, ask whoever runs the assistant for a new one.",
    );
  });
}
