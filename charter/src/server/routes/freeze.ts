import { createRoute, z } from "@hono/zod-openapi";
import type { Routes } from "../api.ts";
import { agentVersion } from "../http/agent-version.ts";
import { checkOperator } from "../http/caller.ts";
import { agent, freezeRequest } from "../schemas/agent.ts";
import { agentPath } from "../schemas/name.ts";
import { body, json, problems } from "../schemas/response.ts";
import { wholeAgent } from "./agent-view.ts";

const tags = ["agents"];
const params = z.object(agentPath);

/** What stops an agent, for a while or for good. */
export const freezeRoutes: Routes = (api, { host }) => {
  const { store } = host;

  const braking = createRoute({
    method: "post",
    path: "/agents/{agent}/freeze",
    tags,
    summary: "Freeze an agent's amendments, or the agent itself",
    description: "Takes effect at once, in every process that uses this database.",
    request: { params, body: { ...body(freezeRequest), required: false } },
    responses: { 200: json(agent, "The agent is frozen."), ...problems(404, 413, 415) },
  });
  api.openapi(braking, async (context) => {
    checkOperator(context.get("caller"), "freezing agents");
    const { name } = await store.agents.get(context.req.valid("param").agent);
    const what = context.req.valid("json").what ?? "amendments";
    return context.json(await wholeAgent(host, await store.agents.freeze(name, what)), 200);
  });

  const removing = createRoute({
    method: "delete",
    path: "/agents/{agent}",
    tags,
    summary: "Remove an agent",
    description:
      "It takes no turns any more, its schedules end, its tokens are revoked, and lists leave it out. Its records and its name are kept. Where the server runs, `charter agents remove` saves them to a file first, and erases them on request.",
    request: { params },
    responses: { 200: json(agent, "The agent is removed."), ...problems(404) },
  });
  api.openapi(removing, async (context) => {
    checkOperator(context.get("caller"), "removing agents");
    const { name } = await store.agents.get(context.req.valid("param").agent);
    const { agent: gone } = await store.remove(name);
    return context.json({ ...gone, version: agentVersion(gone) }, 200);
  });

  const releasing = createRoute({
    method: "post",
    path: "/agents/{agent}/thaw",
    tags,
    summary: "Unfreeze an agent",
    request: { params },
    responses: { 200: json(agent, "The agent is not frozen any more."), ...problems(404) },
  });
  api.openapi(releasing, async (context) => {
    checkOperator(context.get("caller"), "thawing agents");
    const { name } = await store.agents.get(context.req.valid("param").agent);
    return context.json(await wholeAgent(host, await store.agents.thaw(name)), 200);
  });
};
