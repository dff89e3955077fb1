import { createRoute, z } from "@hono/zod-openapi";
import { reachNotices } from "../../schedules/reach.ts";
import { createSchedule } from "../../schedules/schedule.ts";
import { readPage } from "../../store/home/page.ts";
import type { Routes } from "../api.ts";
import { agentPath, idPath, user } from "../schemas/name.ts";
import { page } from "../schemas/page.ts";
import { body, json, problems } from "../schemas/response.ts";
import { newSchedule as asked, cancelResult, madeSchedule, scheduleList } from "../schemas/schedule.ts";
import { actingScopeFor, agentScopeFor } from "./scope-for.ts";

const tags = ["schedules"];
const path = "/agents/{agent}/schedules";

export const scheduleRoutes: Routes = (api, serving) => {
  const { host } = serving;
  const { schedules } = host.store;

  const listing = createRoute({
    method: "get",
    path,
    tags,
    summary: "List scheduled turns",
    description: "Without `user` an operator sees the agent's own and every user's.",
    request: { params: z.object(agentPath), query: z.strictObject({ user, ...page }) },
    responses: { 200: json(scheduleList, "The next one first."), ...problems(404) },
  });
  api.openapi(listing, async (context) => {
    const { user: named, ...one } = context.req.valid("query");
    const scope = await agentScopeFor(serving, context.get("caller"), context.req.valid("param").agent, named);
    const { rows, more } = await readPage((stretch) => schedules.list({ ...scope, ...stretch }), one);
    return context.json({ schedules: rows, more }, 200);
  });

  const making = createRoute({
    method: "post",
    path,
    tags,
    summary: "Schedule a turn",
    description:
      "Once (`at`) or recurring (`cron`), in the user's time zone unless `zone` names another. The " +
      "answer is sent to the user's linked chats and kept with the run.",
    request: { params: z.object(agentPath), body: body(asked) },
    responses: {
      201: json(madeSchedule, "`nextAt` is the next time; `notices` warns if the answer could not be sent to anyone."),
      ...problems(404, 413, 415),
    },
  });
  api.openapi(making, async (context) => {
    const { user: named, ...wanted } = context.req.valid("json");
    const scope = await actingScopeFor(serving, context.get("caller"), context.req.valid("param").agent, named);
    const { zone: usualZone } = (await host.snapshot(scope)).declaredTurn.turn;
    const made = await createSchedule({ ...wanted, scope, defaultZone: usualZone }, host.store, host.clock());
    return context.json({ ...made, notices: await reachNotices(host.store, scope) }, 201);
  });

  const ending = createRoute({
    method: "delete",
    path: `${path}/{id}`,
    tags,
    summary: "Cancel a schedule",
    description: "A run that has started is not stopped.",
    request: { params: z.object({ ...agentPath, ...idPath }), query: z.strictObject({ user }) },
    responses: { 200: json(cancelResult, "The schedule is cancelled."), ...problems(404) },
  });
  api.openapi(ending, async (context) => {
    const { agent, id } = context.req.valid("param");
    const caller = context.get("caller");
    const { user: named } = context.req.valid("query");
    const scope = await agentScopeFor(serving, caller, agent, named);
    // An operator need not know whose it is.
    const whose = caller.kind === "operator" && named === undefined ? await ownerOf(agent, id) : scope;
    await schedules.cancel(whose, id);
    return context.json({ cancelled: id }, 200);
  });

  const ownerOf = async (agent: string, id: string) => {
    const { scope } = await schedules.get(id);
    return scope.agent === agent ? scope : { agent };
  };
};
