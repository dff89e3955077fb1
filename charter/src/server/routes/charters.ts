import { createRoute } from "@hono/zod-openapi";
import { builtInCharters } from "../../host/load.ts";
import type { Routes } from "../http/api.ts";
import { checkOperator } from "../http/caller.ts";
import { charterList } from "../schemas/charter.ts";
import { json, problems } from "../schemas/response.ts";

export const charterRoutes: Routes = (api) => {
  const listing = createRoute({
    method: "get",
    path: "/charters",
    tags: ["agents"],
    summary: "The charters there are",
    request: {},
    responses: { 200: json(charterList, "Name and purpose of each."), ...problems() },
  });
  api.openapi(listing, (context) => {
    checkOperator(context.get("caller"), "seeing charters");
    return context.json({ charters: builtInCharters }, 200);
  });
};
