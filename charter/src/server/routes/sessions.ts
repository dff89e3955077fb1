import { createRoute, z } from "@hono/zod-openapi";
import { Problem } from "../../prompt/problem.ts";
import type { Session } from "../../store/turns/sessions.ts";
import type { Routes } from "../api.ts";
import { checkChannel, checkPerson, notFound } from "../http/caller.ts";
import { compactResult, newSession, session, sessionList } from "../schemas/conversation.ts";
import { sessionSort, turnFilter } from "../schemas/lists/turn-query.ts";
import { agentPath, idPath } from "../schemas/name.ts";
import { page } from "../schemas/page.ts";
import { problem } from "../schemas/problem.ts";
import { json, problems } from "../schemas/response.ts";
import { actingScopeFor, agentScopeFor } from "./scope-for.ts";
import { checkTurnQuery } from "./turn-pages.ts";

const tags = ["sessions"];

const listing = createRoute({
  method: "get",
  path: "/agents/{agent}/sessions",
  tags,
  summary: "List an agent's sessions",
  description:
    "Filters by words, state, event, model and time match a session if one of its turns matches. Cost filters use the sum of all its turns.",
  request: {
    params: z.object(agentPath),
    query: z.strictObject({
      ...turnFilter,
      open: z.enum(["true"]).optional().openapi({ description: "`true`: only sessions that can continue." }),
      sort: sessionSort,
      ...page,
    }),
  },
  responses: { 200: json(sessionList, "Default: the most recently used first."), ...problems(404) },
});

const opening = createRoute({
  method: "post",
  path: "/agents/{agent}/sessions",
  tags,
  summary: "Open a new session",
  description: "It starts without history. The next turn on that channel that names no session belongs to it.",
  request: {
    params: z.object(agentPath),
    body: { required: true, content: { "application/json": { schema: newSession } } },
  },
  responses: { 201: json(session, "The new session."), ...problems(404, 422) },
});

const compacting = createRoute({
  method: "post",
  path: "/agents/{agent}/sessions/{id}/compact",
  tags,
  summary: "Summarise a session's history",
  description: "The model writes a summary, which replaces the history. Recorded as a turn.",
  request: { params: z.object({ ...agentPath, ...idPath }) },
  responses: {
    200: json(compactResult, "The result."),
    ...problems(404, 409, 422),
    502: json(problem, "The model gave no summary."),
  },
});

export const sessionRoutes: Routes = (api, serving) => {
  const { host } = serving;
  const { sessions } = host.store;

  api.openapi(listing, async (context) => {
    const caller = context.get("caller");
    const { user: whose, open, limit, offset, sort, ...asked } = context.req.valid("query");
    const scope = await agentScopeFor(serving, caller, context.req.valid("param").agent, whose);
    checkTurnQuery(caller, { ...asked, sort });
    const filter = { ...asked, ...scope, open: open === "true" };
    const [rows, total, single] = await Promise.all([
      sessions.list({ ...filter, sort, limit, offset }),
      sessions.count(filter),
      sessions.countSingle(filter),
    ]);
    const shown = rows.map(({ cost, usage, models, ...facts }) =>
      caller.kind === "operator" ? { ...facts, cost, usage, models } : facts,
    );
    return context.json({ sessions: shown, more: offset + rows.length < total, total, single }, 200);
  });

  api.openapi(opening, async (context) => {
    const caller = context.get("caller");
    checkPerson(caller, "opening sessions");
    const { user: whose, channel = "web" } = context.req.valid("json");
    checkChannel(caller, channel);
    const own = caller.kind === "operator" ? serving.operator : undefined;
    const scope = await actingScopeFor(serving, caller, context.req.valid("param").agent, whose ?? own);
    const { baseline: _, ...facts } = await host.newSession({ ...scope, channel });
    return context.json(facts, 201);
  });

  api.openapi(compacting, async (context) => {
    const caller = context.get("caller");
    checkPerson(caller, "summing up sessions");
    const { agent, id } = context.req.valid("param");
    const { agent: name } = await agentScopeFor(serving, caller, agent);
    const found = await sessionNamed(id);
    const isOwn = caller.kind === "operator" || found.scope.user === caller.user;
    if (found.scope.agent !== name || !isOwn) throw notFound(`session “${id}”`);
    const about = { session: id, ...(found.channel === null ? {} : { channel: found.channel }) };
    return context.json(await host.compact({ ...found.scope, ...about }), 200);
  });

  async function sessionNamed(id: string): Promise<Session> {
    try {
      return await sessions.get(id);
    } catch (error) {
      throw error instanceof Problem && error.code === "unknown-session" ? notFound(`session “${id}”`) : error;
    }
  }
};
