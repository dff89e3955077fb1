import { createRoute, z } from "@hono/zod-openapi";
import { noCoreMemory } from "../../host/core-memory.ts";
import type { CoreMemory } from "../../sources/core-memory/core-memory.ts";
import type { Routes } from "../api.ts";
import { coreReportOrWhy, publishWaiting } from "../core-report.ts";
import { checkOperator } from "../http/caller.ts";
import { agentPath } from "../schemas/name.ts";
import { json, problems } from "../schemas/response.ts";
import { coreMemory, publishResult } from "../schemas/section.ts";

const tags = ["core memory"];
const params = z.object(agentPath);
const path = "/agents/{agent}/core";

const looking = createRoute({
  method: "get",
  path,
  tags,
  summary: "Get a core memory and the state of its relays",
  description: "Asks all relays, for three seconds at most. What was changed elsewhere becomes the next revision.",
  request: { params },
  responses: { 200: json(coreMemory, "The current state."), ...problems(404, 422) },
});

const publishing = createRoute({
  method: "post",
  path: `${path}/publish`,
  tags,
  summary: "Send again what no relay has taken, or what they have lost",
  description: "The same event, under the same id. To change the text, propose a change of the section `core`.",
  request: { params },
  responses: { 200: json(publishResult, "The outcome."), ...problems(404, 422) },
});

export const coreMemoryRoutes: Routes = (api, { host }) => {
  const memoryOf = async (name: string): Promise<CoreMemory> => {
    const memory = await host.coreMemory(name);
    if (memory) return memory;
    throw noCoreMemory(name);
  };

  api.openapi(looking, async (context) => {
    checkOperator(context.get("caller"), "seeing a core memory");
    const { agent } = context.req.valid("param");
    return context.json(await coreReportOrWhy(host.store, agent, await memoryOf(agent)), 200);
  });

  api.openapi(publishing, async (context) => {
    checkOperator(context.get("caller"), "publishing a core memory");
    const { agent } = context.req.valid("param");
    return context.json({ publication: await publishWaiting(host.store, agent, await memoryOf(agent)) }, 200);
  });
};
