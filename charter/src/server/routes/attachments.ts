import { createRoute, z } from "@hono/zod-openapi";
import type { Routes } from "../api.ts";
import { agentPath, user } from "../schemas/name.ts";
import { problem } from "../schemas/problem.ts";
import { json, problems } from "../schemas/response.ts";
import { agentScopeFor } from "./scope-for.ts";

const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex")
  .openapi({ param: { name: "digest", in: "path" }, description: "As in the turn it came with." });

const showing = createRoute({
  method: "get",
  path: "/agents/{agent}/attachments/{digest}",
  tags: ["turns"],
  summary: "Get a picture or a file that came with a turn",
  description: "Only for the user whose turn it came with. Browsers save it; only pictures are shown.",
  request: { params: z.object({ ...agentPath, digest }), query: z.strictObject({ user }) },
  responses: {
    200: { description: "Its bytes.", content: { "application/octet-stream": { schema: z.string() } } },
    ...problems(404),
    410: json(problem, "Its bytes were deleted."),
  },
});

export const attachmentRoutes: Routes = (api, serving) => {
  api.openapi(showing, async (context) => {
    const { agent, digest: wanted } = context.req.valid("param");
    const own = context.get("caller").kind === "operator" ? serving.operator : undefined;
    const named = context.req.valid("query").user ?? own;
    const scope = await agentScopeFor(serving, context.get("caller"), agent, named);
    const { data, mediaType } = await serving.host.store.attachments.get(scope, wanted);
    const isPicture = mediaType.startsWith("image/");
    return context.body(new Uint8Array(data), 200, {
      // Whatever a file says it is, nothing in it is run: text is plain, and only pictures are shown.
      "content-type": isPicture || mediaType === "application/pdf" ? mediaType : "text/plain; charset=utf-8",
      "content-disposition": isPicture ? "inline" : "attachment",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cache-control": "private, max-age=3600, immutable",
    }) as never;
  });
};
