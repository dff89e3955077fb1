import { createRoute, z } from "@hono/zod-openapi";
import { attachmentLimits, attachmentSettingsOf } from "../../agent/attachments/attachment-settings.ts";
import type { Scope } from "../../amend/amendment.ts";
import { isStandInName } from "../../delivery/models/provider.ts";
import { allSections } from "../../prompt/charter.ts";
import { Problem } from "../../prompt/problem.ts";
import type { RouteContext, Routes } from "../api.ts";
import { checkPerson, notFound } from "../http/caller.ts";
import { user } from "../schemas/name.ts";
import { json, problems } from "../schemas/response.ts";
import { chatPage } from "../schemas/user.ts";
import { actingScopeFor } from "./scope-for.ts";

const query = z.strictObject({
  agent: z.string().optional().openapi({ description: "The agent; default: that of the session at `/chat`." }),
  user,
});

/** So much is counted of what waits. */
const most = 100;

export const chatPageRoutes: Routes = (api, serving) => {
  const showing = createRoute({
    method: "get",
    path: "/page",
    tags: ["me"],
    summary: "Get what the page for users shows first",
    description: "The agent, the user, the session and what is waiting, in one answer.",
    request: { query },
    responses: { 200: json(chatPage, "What the page shows first."), ...problems(404) },
  });
  api.openapi(showing, async (context) => {
    const caller = context.get("caller");
    checkPerson(caller, "seeing the page of a user");
    const { agent: named, user: whose } = context.req.valid("query");
    const agent = named ?? (caller.kind === "user" ? caller.agent : undefined);
    if (agent === undefined) throw notFound("agent without a name");
    const own = caller.kind === "operator" ? serving.operator : undefined;
    const scope = await actingScopeFor(serving, caller, agent, whose ?? own);
    return context.json(await pageOf(serving, scope), 200);
  });
};

async function pageOf({ host, linkUrl }: RouteContext, scope: Scope) {
  const { store } = host;
  const waits = { ...scope, status: "waiting", limit: most } as const;
  const [agent, looked, user, session, links, held, calls, standIn] = await Promise.all([
    store.agents.get(scope.agent),
    host.snapshot(scope),
    store.users.find(scope.user as string),
    store.sessions.latest(scope, "web"),
    store.links.of(scope),
    store.held.list(waits),
    store.calls.list(waits),
    isAnsweredByScript(host, scope.agent),
  ]);
  const { charter, turn } = looked.declaredTurn;
  const sections = allSections(charter).flatMap(({ section: { name, heading = null, scope: whose } }) => {
    const standing = turn.standing[name];
    const revision = standing && "revision" in standing ? standing.revision : 0;
    return whose === "user" ? [{ name, heading, revision }] : [];
  });
  const attachments = attachmentSettingsOf(
    agent.settings.attachments,
    `The settings of “${agent.name}”`,
    "bad-settings",
  );
  return {
    agent: { name: agent.name, label: agent.label ?? null },
    user: scope.user as string,
    zone: user?.zone ?? null,
    session: session ? { id: session.id, startedAt: session.startedAt, lastAt: session.lastAt } : null,
    sections,
    telegram: {
      possible: linkUrl?.({ agent: scope.agent, channel: "telegram", code: "-" }) !== undefined,
      linked: links.filter(({ channel }) => channel === "telegram").length,
    },
    files: attachmentLimits(attachments) ?? null,
    waiting: Math.min(held.length + calls.length, most),
    standIn,
  };
}

/** A model that cannot be asked is none; whoever says something is told why. */
async function isAnsweredByScript({ modelOf }: RouteContext["host"], agent: string): Promise<boolean> {
  try {
    return isStandInName((await modelOf(agent)).receiver.name);
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}
