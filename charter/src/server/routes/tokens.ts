import { createRoute, z } from "@hono/zod-openapi";
import { readPage } from "../../store/home/page.ts";
import type { Routes } from "../api.ts";
import { checkOperator } from "../http/caller.ts";
import { instantOf } from "../http/instant.ts";
import { idPath } from "../schemas/name.ts";
import { page } from "../schemas/page.ts";
import { body, json, problems } from "../schemas/response.ts";
import { createdToken, newToken, revokeResult, tokenList } from "../schemas/token.ts";

const tags = ["tokens"];

export const tokenRoutes: Routes = (api, { host }) => {
  const { tokens } = host.store;

  const listing = createRoute({
    method: "get",
    path: "/tokens",
    tags,
    summary: "List API tokens",
    request: { query: z.strictObject(page) },
    responses: { 200: json(tokenList, "Oldest first, without their secrets."), ...problems() },
  });
  api.openapi(listing, async (context) => {
    checkOperator(context.get("caller"), "seeing tokens");
    const all = await tokens.list();
    const { rows, more } = await readPage(
      async ({ limit, offset }) => all.slice(offset, offset + limit),
      context.req.valid("query"),
    );
    return context.json({ tokens: rows, more }, 200);
  });

  const making = createRoute({
    method: "post",
    path: "/tokens",
    tags,
    summary: "Create a token",
    description:
      "Operator tokens allow everything; user tokens that user's own data; agent tokens calling the agent's tools; inbox tokens posting messages to one agent and reading the replies.",
    request: { body: body(newToken) },
    responses: { 201: json(createdToken, "Keep `secret`: it is not shown again."), ...problems(404, 413, 415) },
  });
  api.openapi(making, async (context) => {
    checkOperator(context.get("caller"), "making tokens");
    const { expiresAt, ...wanted } = context.req.valid("json");
    const ends = expiresAt === undefined ? {} : { expiresAt: instantOf(expiresAt) };
    return context.json(await tokens.create({ ...withoutOpen(wanted), ...ends }), 201);
  });

  const revoking = createRoute({
    method: "delete",
    path: "/tokens/{id}",
    tags,
    summary: "Revoke a token",
    description: "It is refused from the next request on, and its open streams end within a second.",
    request: { params: z.object(idPath) },
    responses: { 200: json(revokeResult, "The token is revoked."), ...problems(404) },
  });
  api.openapi(revoking, async (context) => {
    checkOperator(context.get("caller"), "taking tokens back");
    const { id } = context.req.valid("param");
    await tokens.revoke(id);
    return context.json({ revoked: id }, 200);
  });
};

type Wanted = Omit<z.output<typeof newToken>, "expiresAt"> & { agent?: string | undefined; user?: string | undefined };

function withoutOpen({ name, kind, agent, user }: Wanted) {
  return { name, kind, ...(agent === undefined ? {} : { agent }), ...(user === undefined ? {} : { user }) };
}
