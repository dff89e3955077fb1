import { createRoute, z } from "@hono/zod-openapi";
import { readPage } from "../../store/home/page.ts";
import type { Routes } from "../api.ts";
import { checkOperator, notFound } from "../http/caller.ts";
import { userPath } from "../schemas/name.ts";
import { page } from "../schemas/page.ts";
import { body, json, problems } from "../schemas/response.ts";
import { eraseResult, user, userChange, userList } from "../schemas/user.ts";
import { defined } from "./scope-for.ts";

const tags = ["users"];
const params = z.object(userPath);

export const userRoutes: Routes = (api, { host }) => {
  const { store } = host;

  const listing = createRoute({
    method: "get",
    path: "/users",
    tags,
    summary: "List users",
    request: {
      query: z.strictObject({
        prefix: z.string().optional().openapi({ description: "Only ids that begin with it." }),
        ...page,
      }),
    },
    responses: { 200: json(userList, "By id."), ...problems() },
  });
  api.openapi(listing, async (context) => {
    checkOperator(context.get("caller"), "seeing users");
    const { prefix, ...asked } = context.req.valid("query");
    const { rows, more } = await readPage((one) => store.users.list({ ...one, ...defined({ prefix }) }), asked);
    return context.json({ users: rows, more, total: await store.users.count(defined({ prefix })) }, 200);
  });

  const showing = createRoute({
    method: "get",
    path: "/users/{user}",
    tags,
    summary: "Get a user",
    request: { params },
    responses: { 200: json(user, "The user."), ...problems(404) },
  });
  api.openapi(showing, async (context) => {
    checkOperator(context.get("caller"), "seeing users");
    const { user: id } = context.req.valid("param");
    const found = await store.users.find(id);
    if (!found) throw notFound(`user “${id}”`);
    return context.json(found, 200);
  });

  const putting = createRoute({
    method: "put",
    path: "/users/{user}",
    tags,
    summary: "Create or change a user",
    request: { params, body: body(userChange) },
    responses: { 200: json(user, "The user."), ...problems(413, 415) },
  });
  api.openapi(putting, async (context) => {
    checkOperator(context.get("caller"), "setting users up");
    const { zone } = context.req.valid("json");
    return context.json(await store.users.put({ id: context.req.valid("param").user, ...defined({ zone }) }), 200);
  });

  const erasing = createRoute({
    method: "delete",
    path: "/users/{user}",
    tags,
    summary: "Erase a user",
    description:
      "All text of the user is deleted and cannot be restored. The history still shows that something happened. " +
      "Directories that agents over ACP have for them on this machine are removed, and their processes end.",
    request: {
      params,
      query: z.strictObject({ agent: z.string().optional().openapi({ description: "Only with this agent." }) }),
    },
    responses: { 200: json(eraseResult, "What was erased."), ...problems(404) },
  });
  api.openapi(erasing, async (context) => {
    checkOperator(context.get("caller"), "erasing users");
    const { user: id } = context.req.valid("param");
    const gone = await host.erase({ user: id, ...defined(context.req.valid("query")) });
    return context.json(
      { user: id, erased: Object.keys(gone.rows).length + gone.directories.length > 0, ...gone },
      200,
    );
  });
};
