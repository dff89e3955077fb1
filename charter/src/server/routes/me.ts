import { createRoute } from "@hono/zod-openapi";
import type { RouteContext, Routes } from "../api.ts";
import { type Caller, checkPerson, onlyInbox } from "../http/caller.ts";
import { body, json, problems } from "../schemas/response.ts";
import { me, meChange } from "../schemas/user.ts";

const tags = ["me"];

export const meRoutes: Routes = (api, serving) => {
  const showing = createRoute({
    method: "get",
    path: "/me",
    tags,
    summary: "Get the caller: who this token belongs to",
    request: {},
    responses: { 200: json(me, "The caller."), ...problems() },
  });
  api.openapi(showing, async (context) => context.json(await about(serving, context.get("caller")), 200));

  const changing = createRoute({
    method: "patch",
    path: "/me",
    tags,
    summary: "Set the caller's time zone",
    request: { body: body(meChange) },
    responses: {
      200: json(me, "The caller, with the time zone; it applies from the next turn on."),
      ...problems(413, 415),
    },
  });
  api.openapi(changing, async (context) => {
    const caller = context.get("caller");
    checkPerson(caller, "setting a time zone");
    const id = caller.kind === "operator" ? serving.operator : caller.user;
    await serving.host.store.users.setZone({ id, zone: context.req.valid("json").zone });
    return context.json(await about(serving, caller), 200);
  });
};

async function about({ host, operator, command, demo }: RouteContext, caller: Caller) {
  if (caller.kind === "inbox" || caller.kind === "signer") throw onlyInbox();
  const { id, kind, by } = caller;
  const user = caller.kind === "operator" ? operator : (caller.user ?? null);
  const agent = caller.kind === "operator" ? null : (caller.agent ?? null);
  // An agent's program acts for the agent: whose zone it is, is nothing to it.
  const known = user === null || kind === "agent" ? undefined : await host.store.users.find(user);
  return {
    ...{ id, kind, by, user, agent, zone: known?.zone ?? null },
    ...(kind === "operator" ? { command } : {}),
    ...(demo ? { demo: true as const } : {}),
    ...(demo && kind === "operator" ? { tries: demo.tries } : {}),
  };
}
