import { createRoute } from "@hono/zod-openapi";
import { usualCharter } from "../../host/built-in.ts";
import { builtInCharters } from "../../host/load.ts";
import type { Routes } from "../api.ts";
import { checkOperator } from "../http/caller.ts";
import { charterList } from "../schemas/charter.ts";
import { json, problems } from "../schemas/response.ts";

export const charterRoutes: Routes = (api) => {
  const listing = createRoute({
    method: "get",
    path: "/charters",
    tags: ["agents"],
    summary: "List the available charters",
    request: {},
    responses: { 200: json(charterList, "Name, purpose and needs of each."), ...problems() },
  });
  api.openapi(listing, async (context) => {
    checkOperator(context.get("caller"), "seeing charters");
    return context.json({ charters: await builtInCharters(), usual: usualCharter }, 200);
  });
};
