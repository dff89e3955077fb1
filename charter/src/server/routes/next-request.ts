import { createRoute, z } from "@hono/zod-openapi";
import type { NextRequest } from "../../agent/turn/session/next-request.ts";
import { offerTokens, prefixIn } from "../../delivery/prediction.ts";
import type { SectionText } from "../../prompt/receipt.ts";
import type { Routes } from "../api.ts";
import { checkOperator } from "../http/caller.ts";
import { agentPath } from "../schemas/name.ts";
import { nextRequest } from "../schemas/prompt.ts";
import { json, problems } from "../schemas/response.ts";

const query = z.strictObject({
  user: z.string().optional().openapi({ description: "The user." }),
  channel: z.string().optional().openapi({ description: "The channel; default: the session's.", example: "web" }),
  session: z
    .string()
    .optional()
    .openapi({ description: "A session's id, or `new`; default: the one the turn belongs to." }),
});

export const nextRequestRoutes: Routes = (api, { host }) => {
  const showing = createRoute({
    method: "get",
    path: "/agents/{agent}/next-request",
    tags: ["agents"],
    summary: "Get the next request of a conversation",
    description:
      "The first request of the next turn, assembled as the turn itself does it. Nothing is sent to a model, and nothing is stored.",
    request: { params: z.object(agentPath), query },
    responses: { 200: json(nextRequest, "Tools, prefix, history, updates and state."), ...problems(404, 409, 422) },
  });
  api.openapi(showing, async (context) => {
    checkOperator(context.get("caller"), "seeing prompts");
    const { agent } = context.req.valid("param");
    const { user, channel, session } = context.req.valid("query");
    const next = await host.nextRequest({ agent, user, channel, session });
    const about = { agent, user: user ?? null, channel: channel ?? next.session?.channel ?? null };
    return context.json({ ...about, ...nextFacts(next) }, 200);
  });
};

function nextFacts({ session, receiver, prediction, prefixChange, request, input, tokenizer, notices }: NextRequest) {
  const parts = prediction.placements.map(({ slot, message, sections }) => ({
    slot: slot as "system" | "update" | "state",
    message: message ?? null,
    sections: sections.filter((one) => typeof one !== "string").map(sectionFacts),
  }));
  const tools = offerTokens(request.tools, tokenizer);
  const prefix = prefixIn(prediction).reduce((sum, { tokens }) => sum + (tokens ?? 0), 0);
  const history = prediction.history.tokens ?? 0;
  const { total, predicted } = prediction;
  return {
    session: session && sessionFacts(session),
    model: receiver.name,
    cacheMin: receiver.cache.kind === "none" ? null : receiver.cache.min,
    prefixChange,
    request,
    input,
    parts,
    tokens: {
      ...{ total, tools, prefix, history, state: total - tools - prefix - history },
      ...{ tokenizer: tokenizer.name, exact: tokenizer.exact },
    },
    predicted,
    notices,
  };
}

function sectionFacts({ name, layer, mutability, stability, trust, source, revision, tokens, text }: SectionText) {
  return { name, layer, mutability, stability, trust, source, revision, tokens: tokens ?? 0, text };
}

function sessionFacts({ id, channel, startedAt, lastAt }: NonNullable<NextRequest["session"]>) {
  return { id, channel, startedAt, lastAt };
}
