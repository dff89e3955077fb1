import { createRoute } from "@hono/zod-openapi";
import { modelPlace } from "../../host/models/known-models.ts";
import type { Routes } from "../api.ts";
import { tooManyRequests } from "../auth/failed-attempts.ts";
import { createRateLimiter } from "../auth/rate-limiter.ts";
import { checkOperator } from "../http/caller.ts";
import { modelList, modelTest, modelTestRequest } from "../schemas/charter.ts";
import { body, json, problems } from "../schemas/response.ts";

const tags = ["models"];
/** A test costs a word, and goes out to a provider. */
const testsPerMinute = 30;

export const modelRoutes: Routes = (api, { host }) => {
  const rate = createRateLimiter(() => host.clock().getTime());

  const listing = createRoute({
    method: "get",
    path: "/models",
    tags,
    summary: "List the models agents can use",
    description: "Whether each has its key, and how its last test went. Keys are not shown, and no model is asked.",
    request: {},
    responses: { 200: json(modelList, "The models."), ...problems() },
  });
  api.openapi(listing, async (context) => {
    checkOperator(context.get("caller"), "seeing models");
    const { list, usual } = host.knownModels;
    return context.json({ models: await list(), usual: usual(), place: modelPlace }, 200);
  });

  const testing = createRoute({
    method: "post",
    path: "/models/test",
    tags,
    summary: "Ask a model for one word",
    description: "Finds a wrong key, name or address. It costs a word; at most 30 tests a minute.",
    request: { body: body(modelTestRequest) },
    responses: { 200: json(modelTest, "The result."), ...problems(413, 415) },
  });
  api.openapi(testing, async (context) => {
    checkOperator(context.get("caller"), "testing models");
    const seconds = rate.consume("tests", testsPerMinute);
    if (seconds > 0) return tooManyRequests(context, seconds, "Too many models were tested within a minute.") as never;
    return context.json(await host.knownModels.test(context.req.valid("json").model), 200);
  });
};
