import { createRoute, z } from "@hono/zod-openapi";
import { readPage } from "../../store/home/page.ts";
import type { Routes } from "../api.ts";
import { invitationLink } from "../auth/sign-in-link.ts";
import { checkOperator } from "../http/caller.ts";
import { agentPath, idPath, userPath } from "../schemas/name.ts";
import { page } from "../schemas/page.ts";
import { body, json, problems } from "../schemas/response.ts";
import {
  createdInvitations,
  identityList,
  invitationList,
  newInvitations,
  revokedInvitations,
  unboundIdentities,
} from "../schemas/token.ts";
import { defined } from "./scope-for.ts";

const tags = ["users"];
const onlyUser = z.string().optional().openapi({ description: "Only of this user." });
const onlyAgent = z.string().optional().openapi({ description: "Only with this agent." });

/** How people are let in: invitations, and who of an issuer is which user. */
export const invitationRoutes: Routes = (api, serving) => {
  const { invitations, identities, tokens, agents } = serving.host.store;

  const listing = createRoute({
    method: "get",
    path: "/invitations",
    tags,
    summary: "List invitations",
    request: { query: z.strictObject({ agent: onlyAgent, user: onlyUser, ...page }) },
    responses: { 200: json(invitationList, "Oldest first."), ...problems() },
  });
  api.openapi(listing, async (context) => {
    checkOperator(context.get("caller"), "seeing invitations");
    const { agent, user, ...asked } = context.req.valid("query");
    const { rows, more } = await readPage((one) => invitations.list({ ...one, ...defined({ agent, user }) }), asked);
    return context.json({ invitations: rows, more }, 200);
  });

  const inviting = createRoute({
    method: "post",
    path: "/agents/{agent}/invitations",
    tags,
    summary: "Invite users",
    description:
      "Each gets a link to the page for users that works once. All are invited, or nobody. Who came by an invitation " +
      "before, or has an open one, is left alone, unless `again`.",
    request: { params: z.object(agentPath), body: body(newInvitations) },
    responses: { 201: json(createdInvitations, "The links; they are shown only once."), ...problems(404, 413, 415) },
  });
  api.openapi(inviting, async (context) => {
    checkOperator(context.get("caller"), "inviting users");
    const { name: agent } = await agents.get(context.req.valid("param").agent);
    const { people, ...about } = context.req.valid("json");
    const wanted = people.map(({ user, zone }) => ({ user, agent, ...defined({ zone }) }));
    const { made, already } = await invitations.create(wanted, defined(about));
    const base = serving.url ?? new URL(context.req.url).origin;
    const told = made.map(({ secret, ...one }) => ({ ...one, url: invitationLink(base, secret) }));
    return context.json({ invitations: told, already }, 201);
  });

  const revoking = createRoute({
    method: "delete",
    path: "/invitations/{id}",
    tags,
    summary: "Revoke an invitation",
    description: "Its link works no more. Whoever has used it stays signed in.",
    request: { params: z.object(idPath) },
    responses: { 200: json(revokedInvitations, "It is revoked."), ...problems(404) },
  });
  api.openapi(revoking, async (context) => {
    checkOperator(context.get("caller"), "revoking invitations");
    return context.json({ invitations: await invitations.revoke(context.req.valid("param")) }, 200);
  });

  const known = createRoute({
    method: "get",
    path: "/identities",
    tags,
    summary: "List who signs in at the issuer",
    request: { query: z.strictObject({ user: onlyUser, ...page }) },
    responses: {
      200: json(identityList, "By user. Who is listed in the configuration is not among them."),
      ...problems(),
    },
  });
  api.openapi(known, async (context) => {
    checkOperator(context.get("caller"), "seeing who signs in");
    const { user, ...asked } = context.req.valid("query");
    const { rows, more } = await readPage((one) => identities.list({ ...one, ...defined({ user }) }), asked);
    return context.json({ identities: rows, more }, 200);
  });

  const unbinding = createRoute({
    method: "delete",
    path: "/users/{user}/identities",
    tags,
    summary: "Unbind a user from the issuer",
    description: "Nobody signs in at the issuer as this user any more, and sessions with those agents end.",
    request: { params: z.object(userPath), query: z.strictObject({ agent: onlyAgent }) },
    responses: { 200: json(unboundIdentities, "Who was bound."), ...problems(404) },
  });
  api.openapi(unbinding, async (context) => {
    checkOperator(context.get("caller"), "unbinding users");
    const gone = await identities.remove({ ...context.req.valid("param"), ...defined(context.req.valid("query")) });
    for (const { agent, user } of gone) await tokens.endChats({ agent, user });
    return context.json({ identities: gone }, 200);
  });
};
