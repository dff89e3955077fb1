import { createRoute, z } from "@hono/zod-openapi";
import type { Routes } from "../api.ts";
import { checkOperator } from "../http/caller.ts";
import { shownMessage } from "../inbox/operator-message.ts";
import { retryMessage } from "../inbox/retry-message.ts";
import { message, retriedMessages } from "../schemas/message.ts";
import { agentPath, idPath } from "../schemas/name.ts";
import { json, problems } from "../schemas/response.ts";

const tags = ["inbox"];
const path = "/agents/{agent}/inbox";
const params = z.object(agentPath);
const one = z.object({ ...agentPath, ...idPath });

const retryingAll = createRoute({
  method: "post",
  path: `${path}/retry`,
  tags,
  summary: "Try all dead messages again",
  request: { params },
  responses: { 200: json(retriedMessages, "They wait again, each with three new tries."), ...problems(404) },
});

const moving = (what: "retry" | "discard", summary: string, after: string) =>
  createRoute({
    method: "post",
    path: `${path}/{id}/${what}`,
    tags,
    summary,
    request: { params: one },
    responses: { 200: json(message, after), ...problems(404, 409) },
  });
const retrying = moving(
  "retry",
  "Try a dead message again, or a reply that did not get to its chain",
  "It waits again, with three new tries; or its reply is sent again.",
);
const discarding = moving("discard", "Withdraw a message that is dead or waits", "It will not be answered.");

/** What a person does with messages that nobody is at. */
export const moveMessageRoutes: Routes = (api, { host, operator }) => {
  const { agents, inbox } = host.store;

  api.openapi(retryingAll, async (context) => {
    checkOperator(context.get("caller"), "trying messages again");
    const { name } = await agents.get(context.req.valid("param").agent);
    return context.json({ retried: await inbox.retryAll(name, operator) }, 200);
  });

  api.openapi(retrying, async (context) => {
    checkOperator(context.get("caller"), "trying messages again");
    const { agent, id } = context.req.valid("param");
    const { name } = await agents.get(agent);
    const { message: retried } = await retryMessage(host.store, { agent: name, id, by: operator });
    return context.json(shownMessage(retried), 200);
  });

  api.openapi(discarding, async (context) => {
    checkOperator(context.get("caller"), "withdrawing messages");
    const { agent, id } = context.req.valid("param");
    return context.json(shownMessage(await inbox.discard((await agents.get(agent)).name, id, operator)), 200);
  });
};
