import { createRoute, z } from "@hono/zod-openapi";
import { readPage } from "../../store/home/page.ts";
import type { Routes } from "../api.ts";
import { linkCode, linkList, newLink, unlinkResult } from "../schemas/link.ts";
import { agentPath, user } from "../schemas/name.ts";
import { page } from "../schemas/page.ts";
import { body, json, problems } from "../schemas/response.ts";
import { actingScopeFor, agentScopeFor } from "./scope-for.ts";

const tags = ["links"];
const path = "/agents/{agent}/links";
const chat = z.object({
  ...agentPath,
  channel: z.string().openapi({ param: { name: "channel", in: "path" }, example: "telegram" }),
  address: z.string().openapi({ param: { name: "address", in: "path" }, example: "12345678" }),
});

export const linkRoutes: Routes = (api, serving) => {
  const { links } = serving.host.store;

  const listing = createRoute({
    method: "get",
    path,
    tags,
    summary: "List a user's linked chats",
    request: { params: z.object(agentPath), query: z.strictObject({ user, ...page }) },
    responses: { 200: json(linkList, "The user's chats."), ...problems(404) },
  });
  api.openapi(listing, async (context) => {
    const { user: named, ...asked } = context.req.valid("query");
    const scope = await agentScopeFor(serving, context.get("caller"), context.req.valid("param").agent, named);
    const all = await links.of(scope);
    const { rows, more } = await readPage(async ({ limit, offset }) => all.slice(offset, offset + limit), asked);
    return context.json({ links: rows, more }, 200);
  });

  const making = createRoute({
    method: "post",
    path,
    tags,
    summary: "Create a code that links a chat",
    description: "The chat that sends the code within ten minutes is linked to the user. A code works once.",
    request: { params: z.object(agentPath), body: body(newLink) },
    responses: { 201: json(linkCode, "The code; it is shown only once."), ...problems(404, 413, 415) },
  });
  api.openapi(making, async (context) => {
    const { channel, user: named } = context.req.valid("json");
    const scope = await actingScopeFor(serving, context.get("caller"), context.req.valid("param").agent, named);
    const made = await links.createCode(scope, channel);
    const url = serving.linkUrl?.({ agent: scope.agent, channel, code: made.code });
    return context.json({ ...made, ...(url === undefined ? {} : { url }) }, 201);
  });

  const removing = createRoute({
    method: "delete",
    path: `${path}/{channel}/{address}`,
    tags,
    summary: "Unlink a chat",
    description: "Messages still waiting to be sent there are dropped.",
    request: { params: chat, query: z.strictObject({ user }) },
    responses: { 200: json(unlinkResult, "The chat is unlinked."), ...problems(404) },
  });
  api.openapi(removing, async (context) => {
    const { agent, channel, address } = context.req.valid("param");
    const scope = await agentScopeFor(serving, context.get("caller"), agent, context.req.valid("query").user);
    await links.remove(scope, channel, address);
    return context.json({ unlinked: address }, 200);
  });
};
