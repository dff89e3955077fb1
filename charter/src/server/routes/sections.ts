import { createRoute, z } from "@hono/zod-openapi";
import { allSections } from "../../prompt/charter.ts";
import { readPage } from "../../store/home/page.ts";
import type { Routes } from "../api.ts";
import { agentPath, sectionPath, user } from "../schemas/name.ts";
import { page } from "../schemas/page.ts";
import { json, problems } from "../schemas/response.ts";
import { section, sectionList } from "../schemas/section.ts";
import { agentScopeFor, sectionFor } from "./scope-for.ts";
import { type SectionFacts, sectionFacts } from "./section-facts.ts";

const tags = ["sections"];

export const sectionRoutes: Routes = (api, serving) => {
  const listing = createRoute({
    method: "get",
    path: "/agents/{agent}/sections",
    tags,
    summary: "List an agent's sections, with their current text",
    description: "An operator sees all sections; a user sees their own copies of those that each user has.",
    request: { params: z.object(agentPath), query: z.strictObject({ user, ...page }) },
    responses: { 200: json(sectionList, "In the order of the prompt."), ...problems(404) },
  });
  api.openapi(listing, async (context) => {
    const caller = context.get("caller");
    const { user: named, ...asked } = context.req.valid("query");
    const scope = await agentScopeFor(serving, caller, context.req.valid("param").agent, named);
    const looked = await serving.host.snapshot(scope);
    const seen = allSections(looked.declaredTurn.charter).filter(
      (placed) => caller.kind === "operator" || placed.section.scope === "user",
    );
    const { rows, more } = await readPage(async ({ limit, offset }) => seen.slice(offset, offset + limit), asked);
    return context.json({ sections: await sectionFacts(serving.host, looked, rows), more }, 200);
  });

  const showing = createRoute({
    method: "get",
    path: "/agents/{agent}/sections/{section}",
    tags,
    summary: "Get a section, with its current text",
    request: { params: z.object(sectionPath), query: z.strictObject({ user }) },
    responses: { 200: json(section, "The section."), ...problems(404) },
  });
  api.openapi(showing, async (context) => {
    const asked = { ...context.req.valid("param"), ...context.req.valid("query") };
    const { placed, snapshot } = await sectionFor(serving, context.get("caller"), asked);
    const [facts] = await sectionFacts(serving.host, snapshot, [placed]);
    return context.json(facts as SectionFacts, 200);
  });
};
