import { createRoute, z } from "@hono/zod-openapi";
import type { Routes } from "../api.ts";
import { newSignInLink } from "../auth/sign-in-link.ts";
import { checkPerson, notAllowed } from "../http/caller.ts";
import { agentPath } from "../schemas/name.ts";
import { body, json, problems } from "../schemas/response.ts";
import { newSignInLink as asked, signInLink } from "../schemas/token.ts";
import { actingScopeFor } from "./scope-for.ts";

/** How someone gets to the page for users. */
export const signInLinkRoutes: Routes = (api, serving) => {
  const making = createRoute({
    method: "post",
    path: "/agents/{agent}/sign-in-links",
    tags: ["links"],
    summary: "Create a link to the page for users",
    description:
      "It signs one user in at `/chat`, with this agent, once, within ten minutes. An operator names the user; with a " +
      "JSON Web Token a user gets their own. Other tokens of users, and sessions of that page, cannot create links: a link " +
      "could outlast them.",
    request: { params: z.object(agentPath), body: body(asked) },
    responses: { 201: json(signInLink, "The link; it is shown only once."), ...problems(404, 413, 415) },
  });
  api.openapi(making, async (context) => {
    const caller = context.get("caller");
    const what = "making links to the page for users";
    checkPerson(caller, what);
    if (caller.kind === "user" && caller.by !== "jwt") throw notAllowed(what);
    const named = context.req.valid("json").user;
    const own = caller.kind === "operator" ? serving.operator : undefined;
    const scope = await actingScopeFor(serving, caller, context.req.valid("param").agent, named ?? own);
    const whose = { agent: scope.agent, user: scope.user as string };
    const base = serving.url ?? new URL(context.req.url).origin;
    return context.json({ ...whose, ...(await newSignInLink(serving.host.store, base, whose)) }, 201);
  });
};
