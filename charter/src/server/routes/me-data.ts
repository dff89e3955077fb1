import { createRoute } from "@hono/zod-openapi";
import { Problem } from "../../prompt/problem.ts";
import type { AgentExport } from "../../store/lifecycle/export.ts";
import type { UserSelector } from "../../store/lifecycle/user-rows.ts";
import type { RouteContext, Routes } from "../api.ts";
import { type Caller, checkPerson } from "../http/caller.ts";
import { body, json, problems } from "../schemas/response.ts";
import { eraseRequest, ownErasure, ownExport } from "../schemas/user.ts";

const tags = ["me"];

export const meDataRoutes: Routes = (api, serving) => {
  const { host } = serving;

  const exporting = createRoute({
    method: "get",
    path: "/me/export",
    tags,
    summary: "Export the caller's own data",
    description:
      "What they said and were answered, instructions, notes, schedules, chats. What the operator wrote into prompts, " +
      "and what it cost, is not in it: `charter export` has all.",
    request: {},
    responses: { 200: json(ownExport, "Everything, as JSON."), ...problems() },
  });
  api.openapi(exporting, async (context) => {
    const who = selfFor(serving, context.get("caller"));
    const { user, exportedAt, zone, agents } = await host.store.export({ ...who, prompts: false });
    return context.json({ user, exportedAt, zone, agents: agents.map(ownOf) }, 200);
  });

  const erasing = createRoute({
    method: "post",
    path: "/me/erase",
    tags,
    summary: "Erase the caller's own data",
    description:
      "All their text, tokens and sessions are deleted, and cannot be restored. At `/chat` only what " +
      "that agent has of them is erased.",
    request: { body: body(eraseRequest) },
    responses: { 200: json(ownErasure, "What was erased, or would be."), ...problems(413, 415) },
  });
  api.openapi(erasing, async (context) => {
    const { confirm, dryRun = false } = context.req.valid("json");
    const who = selfFor(serving, context.get("caller"));
    const { user } = who;
    if (dryRun) {
      const { agents, rows } = await host.erasable(who);
      return context.json({ user, erased: false, agents, rows }, 200);
    }
    if (confirm !== user)
      throw new Problem(
        "bad-confirmation",
        "Erasing was not confirmed: nothing is erased.",
        `Send “confirm” with the user's id, which is ${JSON.stringify(user)}.`,
      );
    const { agents, rows } = await host.erase(who);
    return context.json({ user, erased: true, agents, rows }, 200);
  });
};

/** Who asks, with the one agent they may ask about, or with all. */
function selfFor({ operator }: RouteContext, caller: Caller): UserSelector {
  checkPerson(caller, "seeing to someone's data");
  if (caller.kind === "operator") return { user: operator };
  const { user, agent } = caller;
  return { user, ...(agent === undefined ? {} : { agent }) };
}

/** What is theirs of what is kept: no prompts, prices, models or processes. A column that is not named is not told. */
const own = {
  held: "id section proposal refusals beforeWords afterWords at status decidedAt decidedBy because revision",
  calls: "id turn tool input because at status decidedAt decidedBy decidedBecause endedAt result",
  memories: "id key words tainted turn at",
  turns: "id session channel input attachments reply state tainted startedAt endedAt",
  attachments: "digest mediaType size data at erasedAt",
  sessions: "id channel startedAt lastAt endedAt",
  schedules: "id title cron zone input channel nextAt lastAt endedAt",
  runs: "id schedule dueAt state turn startedAt endedAt",
  links: "channel address at",
  identities: "issuer subject at",
  updates: "channel address body at",
  dispatches: "channel address body at turn state sentAt",
} as const;

function ownOf(exported: AgentExport) {
  const { agent, standing } = exported;
  const tables = Object.entries(own).map(([table, columns]) => {
    const names = new Set(columns.split(" "));
    const rows = exported[table as keyof typeof own];
    return [table, rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name))))];
  });
  return { agent, standing, ...(Object.fromEntries(tables) as Record<keyof typeof own, Record<string, unknown>[]>) };
}
