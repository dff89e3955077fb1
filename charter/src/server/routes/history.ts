import { createRoute, z } from "@hono/zod-openapi";
import { coreSlug } from "../../sources/core-memory/slug.ts";
import type { Routes } from "../api.ts";
import { withCoreEvents } from "../core-events.ts";
import { history } from "../schemas/amendment.ts";
import { sectionPath, user } from "../schemas/name.ts";
import { limit, revisionBefore } from "../schemas/page.ts";
import { json, problems } from "../schemas/response.ts";
import { defined, sectionFor } from "./scope-for.ts";

/** Both texts of each amendment are told, so a page is shorter than elsewhere. */
const query = z.strictObject({ user, limit: limit(100, 20), before: revisionBefore });

export const historyRoutes: Routes = (api, serving) => {
  const listing = createRoute({
    method: "get",
    path: "/agents/{agent}/sections/{section}/history",
    tags: ["sections"],
    summary: "List a section's amendments",
    description: "Newest first. For the next page, give `before` the last revision of this one.",
    request: { params: z.object(sectionPath), query },
    responses: { 200: json(history, "The amendments, complete."), ...problems(404) },
  });
  api.openapi(listing, async (context) => {
    const { limit: max, before, user: named } = context.req.valid("query");
    const asked = { ...context.req.valid("param"), user: named };
    const { scope, placed, snapshot } = await sectionFor(serving, context.get("caller"), asked);
    const { name } = placed.section;
    const { store } = serving.host;
    const listed = await store.history.listWhole(scope, name, { limit: max, ...defined({ before }) });
    const onRelays = name === coreSlug && snapshot.declaredTurn.memory !== undefined;
    const amendments = onRelays ? await withCoreEvents(store, listed) : listed;
    // Revisions count from 1 without a gap.
    const more = amendments.length === max && (amendments.at(-1)?.revision ?? 1) > 1;
    return context.json({ agent: scope.agent, user: scope.user ?? null, section: name, amendments, more }, 200);
  });
};
