import type { Hono } from "hono";
import { badToken } from "../operations/caller.ts";
import type { ApiEnv } from "./api.ts";
import { type FailedAttempts, tooManyRequests } from "./auth/failed-attempts.ts";
import { checkCharset } from "./http/body.ts";

/** Where updates of an agent's channel come in, by the agent's name. Each checks the sender's secret itself, then reads. */
export type Webhooks = ReadonlyMap<string, (request: Request) => Promise<Response>>;

/**
 * A sender without the secret learns nothing, not even whether there is such an agent. Its secret is looked at however
 * many were wrong before: nobody can keep Telegram out by guessing.
 */
export function serveWebhooks(
  app: Hono<ApiEnv>,
  about: { readonly webhooks: Webhooks; readonly guesses: FailedAttempts },
): void {
  const { webhooks, guesses } = about;
  app.post("/telegram/:agent", async (context) => {
    const { url, headers, body } = context.req.raw;
    checkCharset(headers);
    const webhook = webhooks.get(context.req.param("agent"));
    const init = { method: "POST", headers: new Headers(headers), body, duplex: "half" };
    const answer = await webhook?.(new Request(url, init as RequestInit));
    if (answer && ![401, 403, 404].includes(answer.status)) return context.body(null, answer.ok ? 200 : 503);
    const seconds = guesses.waitSeconds(context);
    if (seconds > 0) return tooManyRequests(context, seconds, "Too many invalid secrets came from this address.");
    guesses.count(context, `${context.req.path} ${headers.get("x-telegram-bot-api-secret-token")}`);
    throw badToken();
  });
}
