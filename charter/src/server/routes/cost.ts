import { createRoute, z } from "@hono/zod-openapi";
import type { SpendingTotal } from "../../store/turns/spending.ts";
import type { Routes } from "../api.ts";
import { checkOperator } from "../http/caller.ts";
import { agentPath, user } from "../schemas/name.ts";
import { json, problems } from "../schemas/response.ts";
import { cost, costQuery } from "../schemas/sample.ts";
import { agentScopeFor } from "./scope-for.ts";

const showing = createRoute({
  method: "get",
  path: "/agents/{agent}/cost",
  tags: ["turns"],
  summary: "Get what an agent spent",
  description: "Sums over all turns in a range of days, by day and by model. By section, see the samples.",
  request: { params: z.object(agentPath), query: z.strictObject({ user, ...costQuery }) },
  responses: { 200: json(cost, "Days are UTC, in order."), ...problems(404) },
});

export const costRoutes: Routes = (api, serving) => {
  api.openapi(showing, async (context) => {
    const caller = context.get("caller");
    checkOperator(caller, "seeing what was spent");
    const { user: whose, from, to } = context.req.valid("query");
    const scope = await agentScopeFor(serving, caller, context.req.valid("param").agent, whose);
    const found = await serving.host.store.spending.sums({ ...scope, from, to });
    const days = found.days.map(({ day, turns, priced, ...sums }) => ({ day, turns, priced, ...inDollars(sums) }));
    const models = found.models.map(({ model, ...sums }) => ({ model, ...inDollars(sums) }));
    const micros = found.days.reduce((sum, one) => sum + one.micros, 0);
    const sumOf = (key: "turns" | "priced" | "input" | "read" | "written" | "output") =>
      days.reduce((sum, one) => sum + one[key], 0);
    const tokens = { input: sumOf("input"), read: sumOf("read"), written: sumOf("written"), output: sumOf("output") };
    const total = { turns: sumOf("turns"), priced: sumOf("priced"), cost: micros / 1e6, ...tokens };
    const range = { user: whose ?? null, from: from ?? null, to: to ?? null };
    return context.json({ agent: scope.agent, ...range, total, days, models }, 200);
  });
};

function inDollars({ micros, input, read, written, output }: SpendingTotal) {
  return { cost: micros / 1e6, input, read, written, output };
}
