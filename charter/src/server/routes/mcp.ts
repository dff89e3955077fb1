import { createRoute, z } from "@hono/zod-openapi";
import type { Routes } from "../api.ts";
import { checkOperator } from "../http/caller.ts";
import { agentPath } from "../schemas/name.ts";
import { json, problems } from "../schemas/response.ts";
import { mcpServers } from "../schemas/tool.ts";

const listing = createRoute({
  method: "get",
  path: "/agents/{agent}/mcp",
  tags: ["tools"],
  summary: "List an agent's MCP servers and their tools",
  description: "The servers are asked now. Tools that need approval are listed under `/approvals`.",
  request: { params: z.object(agentPath) },
  responses: { 200: json(mcpServers, "The servers and their tools."), ...problems(404) },
});

export const mcpRoutes: Routes = (api, { host }) => {
  api.openapi(listing, async (context) => {
    checkOperator(context.get("caller"), "seeing MCP servers");
    const { name } = await host.store.agents.get(context.req.valid("param").agent);
    return context.json({ servers: await host.mcpServers(name) }, 200);
  });
};
