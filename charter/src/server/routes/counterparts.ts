import { createRoute, z } from "@hono/zod-openapi";
import type { Routes } from "../api.ts";
import { checkOperator } from "../http/caller.ts";
import { counterpartList } from "../schemas/lists/counterpart.ts";
import { agentPath } from "../schemas/name.ts";
import { page } from "../schemas/page.ts";
import { json, problems } from "../schemas/response.ts";

/** On these channels turns begin by themselves: what they were told is not what their user said. */
const unspoken = ["scheduled", "automaton", "inbox"];

const listing = createRoute({
  method: "get",
  path: "/agents/{agent}/counterparts",
  tags: ["conversations"],
  summary: "List everyone an agent has spoken with",
  description: "Users with what all their turns come to, and senders of messages with how many were answered.",
  request: { params: z.object(agentPath), query: z.strictObject(page) },
  responses: { 200: json(counterpartList, "The latest first."), ...problems(404) },
});

export const counterpartRoutes: Routes = (api, { host }) => {
  const { agents, conversations } = host.store;
  api.openapi(listing, async (context) => {
    checkOperator(context.get("caller"), "seeing conversations");
    const { name } = await agents.get(context.req.valid("param").agent);
    const asked = context.req.valid("query");
    const [counterparts, total] = await Promise.all([
      conversations.counterparts(name, { ...asked, unspoken }),
      conversations.countCounterparts(name),
    ]);
    return context.json({ counterparts, more: asked.offset + counterparts.length < total, total }, 200);
  });
};
