import { createRoute, z } from "@hono/zod-openapi";
import { promptFacts } from "../../prompt/prompt-facts.ts";
import { sha256 } from "../../store/sha256.ts";
import type { Routes } from "../api.ts";
import { checkOperator } from "../caller.ts";
import { instantOf } from "../instant.ts";
import { json, problems } from "../schemas/answer.ts";
import { agentPath } from "../schemas/name.ts";
import { prompt } from "../schemas/prompt.ts";

const query = z.strictObject({
  user: z.string().optional().openapi({ description: "For whom." }),
  channel: z.string().optional().openapi({ description: "Where they would be.", example: "web" }),
  at: z.string().optional().openapi({ description: "When: an ISO 8601 time; now, unless said otherwise." }),
  edition: z.enum(["full", "compact"]).optional(),
});

export const promptRoutes: Routes = (api, { house }) => {
  const previewing = createRoute({
    method: "get",
    path: "/agents/{agent}/prompt",
    tags: ["agents"],
    summary: "The prompt the next turn would have",
    description: "Nothing is sent to a model, and nothing is kept.",
    request: { params: z.object(agentPath), query },
    responses: { 200: json(prompt, "The prompt, section by section."), ...problems(404, 422) },
  });
  api.openapi(previewing, async (context) => {
    checkOperator(context.get("caller"), "seeing prompts");
    const { at, ...asked } = context.req.valid("query");
    const { agent } = context.req.valid("param");
    // In an address a bare plus is read as a space, and a time has no other place for one.
    const when = at === undefined ? {} : { at: instantOf(at.replace(/(?<=T\S*) (?=\d\d:\d\d$)/, "+")) };
    const looking = { agent, ...asked, ...when };
    const { prompt: made, tokenizer } = await house.preview(looking);
    return context.json(promptFacts(made, tokenizer, sha256), 200);
  });
};
