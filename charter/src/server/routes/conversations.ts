import { createRoute, z } from "@hono/zod-openapi";
import { readPage } from "../../store/home/page.ts";
import type { Routes } from "../api.ts";
import { checkOperator, notFound } from "../http/caller.ts";
import { conversation, conversationList } from "../schemas/conversation.ts";
import { agentPath } from "../schemas/name.ts";
import { page } from "../schemas/page.ts";
import { json, problems } from "../schemas/response.ts";

const tags = ["conversations"];
const counterpart = z.string().openapi({ param: { name: "counterpart", in: "path" }, example: "0xabc" });

const only = z
  .string()
  .optional()
  .openapi({ description: "Only the conversation with this sender.", example: "0xabc" });

export const conversationRoutes: Routes = (api, { host }) => {
  const { agents, conversations } = host.store;

  const listing = createRoute({
    method: "get",
    path: "/agents/{agent}/conversations",
    tags,
    summary: "List an agent's conversations",
    request: { params: z.object(agentPath), query: z.strictObject({ ...page, counterpart: only }) },
    responses: { 200: json(conversationList, "The most recently active first."), ...problems(404) },
  });
  api.openapi(listing, async (context) => {
    checkOperator(context.get("caller"), "seeing conversations");
    const { name } = await agents.get(context.req.valid("param").agent);
    const { counterpart: sender, ...asked } = context.req.valid("query");
    const about = { counterpart: sender };
    const { rows, more } = await readPage((one) => conversations.list(name, { ...one, ...about }), asked);
    return context.json({ conversations: rows, more, total: await conversations.count(name, about) }, 200);
  });

  const showing = createRoute({
    method: "get",
    path: "/agents/{agent}/conversations/{counterpart}",
    tags,
    summary: "Get a conversation",
    request: { params: z.object({ ...agentPath, counterpart }) },
    responses: { 200: json(conversation, "Its exchanges, oldest first."), ...problems(404) },
  });
  api.openapi(showing, async (context) => {
    checkOperator(context.get("caller"), "seeing conversations");
    const { agent, counterpart: address } = context.req.valid("param");
    const found = await conversations.read((await agents.get(agent)).name, address);
    if (!found) throw notFound(`conversation with “${address}”`);
    return context.json(found, 200);
  });
};
