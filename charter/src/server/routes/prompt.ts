import { createRoute, z } from "@hono/zod-openapi";
import { promptFacts } from "../../prompt/prompt-facts.ts";
import { sha256 } from "../../store/texts/sha256.ts";
import type { Routes } from "../api.ts";
import { checkOperator } from "../http/caller.ts";
import { agentPath } from "../schemas/name.ts";
import { tokenLimit } from "../schemas/page.ts";
import { prompt } from "../schemas/prompt.ts";
import { json, problems } from "../schemas/response.ts";
import { snapshotQuery, snapshotQueryOf } from "./snapshot-query.ts";

const query = z.strictObject({
  ...snapshotQuery,
  edition: z.enum(["full", "compact"]).optional(),
  tokens: tokenLimit,
});

export const promptRoutes: Routes = (api, { host }) => {
  const previewing = createRoute({
    method: "get",
    path: "/agents/{agent}/prompt",
    tags: ["agents"],
    summary: "Get the prompt of the next turn",
    description: "Nothing is sent to a model, and nothing is stored.",
    request: { params: z.object(agentPath), query },
    responses: { 200: json(prompt, "The prompt, section by section."), ...problems(404, 422) },
  });
  api.openapi(previewing, async (context) => {
    checkOperator(context.get("caller"), "seeing prompts");
    const { edition, tokens, ...asked } = context.req.valid("query");
    const about = snapshotQueryOf(context.req.valid("param").agent, asked);
    const { prompt: made, tokenizer } = await host.preview({ ...about, edition, tokens });
    return context.json(promptFacts(made, tokenizer, sha256), 200);
  });
};
