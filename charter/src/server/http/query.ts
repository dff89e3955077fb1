import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { ApiEnv } from "../api.ts";
import { validationErrorAnswer } from "./validation-error.ts";

const nothing = z.strictObject({});

/**
 * Refuses the query of an address that takes none. What is ignored might have mattered: who asks for another user's would
 * be answered with their own.
 */
export function checkQuery(api: OpenAPIHono<ApiEnv>): MiddlewareHandler<ApiEnv> {
  let bare: ReadonlySet<string> | undefined;
  return async (context, next) => {
    const asked = context.req.query();
    if (Object.keys(asked).length === 0) return next();
    bare ??= bareRoutes(api);
    const route = matchedRoutes(context).findLast(({ method }) => method !== "ALL");
    if (!bare.has(`${route?.method} ${route?.path.replace(/^(?:\/chat)?\/api/, "")}`)) return next();
    const checked = nothing.safeParse(asked);
    return validationErrorAnswer({ ...checked, target: "query" } as never, context);
  };
}

/** The routes that are described, and take none. Those that take one check it themselves. */
function bareRoutes({ openAPIRegistry }: OpenAPIHono<ApiEnv>): Set<string> {
  const routes = openAPIRegistry.definitions.flatMap((one) => (one.type === "route" ? [one.route] : []));
  const named = ({ method, path }: (typeof routes)[number]) =>
    `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
  return new Set(routes.filter(({ request }) => request?.query === undefined).map(named));
}
