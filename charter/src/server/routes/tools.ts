import { createRoute, z } from "@hono/zod-openapi";
import { offersOf } from "../../agent/toolset.ts";
import type { Scope } from "../../amend/amendment.ts";
import { listed, Problem } from "../../prompt/problem.ts";
import { checkUser } from "../../store/scope.ts";
import type { RouteContext, Routes } from "../api.ts";
import { type Caller, notAllowed, notFound } from "../http/caller.ts";
import { agentPath, user } from "../schemas/name.ts";
import { body, json, problems } from "../schemas/response.ts";
import { callToolRequest, callToolResult, toolList } from "../schemas/tool.ts";
import { agentScopeFor } from "./scope-for.ts";

const tags = ["tools"];
const toolPath = {
  ...agentPath,
  tool: z.string().openapi({ param: { name: "tool", in: "path" }, description: "Its name.", example: "save_memory" }),
};

const listing = createRoute({
  method: "get",
  path: "/agents/{agent}/tools",
  tags,
  summary: "List an agent's tools",
  description: "For the agent's own token, and for operators.",
  request: {
    params: z.object(agentPath),
    query: z.strictObject({ user, channel: z.string().optional().openapi({ description: "The channel." }) }),
  },
  responses: { 200: json(toolList, "The tools, as the model is offered them."), ...problems(404, 422) },
});

const calling = createRoute({
  method: "post",
  path: "/agents/{agent}/tools/{tool}",
  tags,
  summary: "Call one of an agent's tools",
  description:
    "In the agent's name, without a model. It is recorded as a turn, with the agent's guards and limits. For the agent's own token, and for operators.",
  request: { params: z.object(toolPath), body: body(callToolRequest) },
  responses: {
    200: json(callToolResult, "The result; the answer says whether the call failed."),
    ...problems(404, 409, 413, 422),
  },
});

export const toolRoutes: Routes = (api, serving) => {
  const { host } = serving;

  api.openapi(listing, async (context) => {
    const { user: whose, channel } = context.req.valid("query");
    const scope = await toolScope(serving, context.get("caller"), context.req.valid("param").agent, whose);
    const tools = await host.tools({ ...scope, channel });
    const offers = await offersOf(tools);
    const told = tools.map(({ sensitive = false, foreign = false }, at) => ({ ...offers[at], sensitive, foreign }));
    return context.json({ tools: told as z.infer<typeof toolList>["tools"] }, 200);
  });

  api.openapi(calling, async (context) => {
    const { agent, tool } = context.req.valid("param");
    const { input = {}, user: whose } = context.req.valid("json");
    const scope = await toolScope(serving, context.get("caller"), agent, whose);
    if (scope.user !== undefined) checkUser(scope.user);
    const known = (await host.tools(scope)).map(({ name }) => name);
    if (!known.includes(tool))
      throw new Problem(
        "unknown-tool",
        `“${agent}” has no tool “${tool}”.`,
        known.length === 0 ? "It has none." : `Its tools are ${listed(known)}.`,
      );
    return context.json(await host.callTool(scope, { tool, input }), 200);
  });
};

/** Whom a call is for: an agent's token says it, and opens no other agent; an operator may name anyone. */
async function toolScope(serving: RouteContext, caller: Caller, agent: string, user?: string): Promise<Scope> {
  if (caller.kind === "operator") return agentScopeFor(serving, caller, agent, user);
  if (caller.kind !== "agent") throw notAllowed("calling an agent's tools");
  if (caller.agent !== agent) throw notFound(`agent “${agent}”`);
  if (user !== undefined && user !== caller.user) throw notFound(`user “${user}”`);
  return { agent, ...(caller.user === undefined ? {} : { user: caller.user }) };
}
