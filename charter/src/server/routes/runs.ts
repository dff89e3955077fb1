import { createRoute, z } from "@hono/zod-openapi";
import { Problem } from "../../prompt/problem.ts";
import { readPage } from "../../store/home/page.ts";
import type { Run } from "../../store/schedules/run.ts";
import type { Store } from "../../store/store.ts";
import type { Routes } from "../api.ts";
import type { Caller } from "../http/caller.ts";
import { agentPath, user } from "../schemas/name.ts";
import { page } from "../schemas/page.ts";
import { json, problems } from "../schemas/response.ts";
import { runList, runState } from "../schemas/schedule.ts";
import { agentScopeFor, defined } from "./scope-for.ts";

const query = z.strictObject({
  user,
  schedule: z.string().optional().openapi({ description: "Only this schedule." }),
  state: runState.optional(),
  ...page,
});

export const runRoutes: Routes = (api, serving) => {
  const { store } = serving.host;
  const listing = createRoute({
    method: "get",
    path: "/agents/{agent}/runs",
    tags: ["schedules"],
    summary: "List the runs of schedules",
    request: { params: z.object(agentPath), query },
    responses: { 200: json(runList, "Newest first, with their answers."), ...problems(404) },
  });
  api.openapi(listing, async (context) => {
    const { user: named, schedule, state, ...asked } = context.req.valid("query");
    const caller = context.get("caller");
    const scope = await agentScopeFor(serving, caller, context.req.valid("param").agent, named);
    const about = { ...scope, ...defined({ schedule, state }) };
    const { rows, more } = await readPage((one) => store.runs.list({ ...about, ...one }), asked);
    return context.json(
      { runs: await Promise.all(rows.map((one) => withReply(store, toldTo(caller, one)))), more },
      200,
    );
  });
};

/** A run is read by people who were not there: what was answered stands with it. On whose machine it ran does not. */
async function withReply(store: Store, { runner: _, ...run }: Run) {
  if (run.state !== "answered" || run.turn === null) return { ...run, reply: null };
  const turn = await store.turns.get(run.turn, run.scope).catch(gone);
  return { ...run, reply: turn?.reply ?? null };
}

/** Reasons that are words for users. Why a turn failed is said to the operator: it may name the model, and where it is. */
const plain: ReadonlySet<Run["state"]> = new Set(["quiet", "missed", "skipped"]);

function toldTo({ kind }: Pick<Caller, "kind">, run: Run): Run {
  return kind === "operator" || plain.has(run.state) ? run : { ...run, reason: null };
}

/** A turn that is no longer kept takes nothing from the run that it was. */
function gone(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code !== "unknown-turn") throw error;
}
