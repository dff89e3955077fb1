import type { Hono } from "hono";
import type { Asked } from "./api.ts";
import { readBody } from "./body.ts";
import { badToken } from "./caller.ts";
import { type Guesses, tooOften } from "./guesses.ts";
import type { ApiLimits } from "./limits.ts";

/** Where updates of an agent's channel come in, by the agent's name. Each checks the sender's secret itself. */
export type Webhooks = ReadonlyMap<string, (request: Request) => Promise<Response>>;

/**
 * A sender without the secret learns nothing, not even whether there is such an agent. Its secret is looked at however
 * many were wrong before: nobody can keep Telegram out by guessing.
 */
export function serveWebhooks(
  app: Hono<Asked>,
  about: { readonly webhooks: Webhooks; readonly guesses: Guesses; readonly limits: ApiLimits },
): void {
  const { webhooks, guesses, limits } = about;
  app.post("/telegram/:agent", async (context) => {
    const webhook = webhooks.get(context.req.param("agent"));
    const body = await readBody(context, limits.bodyBytes);
    const { url, headers } = context.req.raw;
    const answer = await webhook?.(new Request(url, { method: "POST", headers: new Headers(headers), body }));
    if (answer && ![401, 403, 404].includes(answer.status)) return context.body(null, answer.ok ? 200 : 503);
    const seconds = guesses.wait(context);
    if (seconds > 0) return tooOften(context, seconds, "Too many secrets from this address were nobody's.");
    guesses.count(context, `${context.req.path} ${headers.get("x-telegram-bot-api-secret-token")}`);
    throw badToken();
  });
}
