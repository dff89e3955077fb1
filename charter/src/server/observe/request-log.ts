import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";
import type { CrossOrigin } from "../http/cross-origin.ts";
import { failure } from "../http/error.ts";
import { checkPath } from "../http/path.ts";
import { secure } from "../http/security-headers.ts";
import { failureOf, type Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";

const health = new Set(["/health", "/health/ready"]);

/** Around every request: its id, what a browser may do with the answer, a line in the log, a mark in the metrics. */
export function requestLog(about: {
  readonly noticeForwarded: (headers: Headers) => void;
  readonly checkHost: (url: string, header: string | null) => void;
  readonly crossOrigin: CrossOrigin;
  readonly metrics: Metrics;
  readonly log: Log | undefined;
  readonly stopwatch: () => number;
  readonly newId: () => string;
}): MiddlewareHandler<ApiEnv> {
  const { checkHost, crossOrigin, metrics, log, stopwatch } = about;
  return async (context, next) => {
    const began = stopwatch();
    const id = about.newId();
    context.set("requestId", id);
    let thrown: unknown;
    try {
      const { url, headers } = context.req.raw;
      about.noticeForwarded(headers);
      checkPath(url);
      // Whoever asks how the server is may know it by its address only.
      if (!health.has(context.req.path)) checkHost(url, headers.get("host"));
      const answer = crossOrigin.preflight(context);
      if (answer) context.res = answer;
      else await next();
      thrown = context.error;
    } catch (error) {
      thrown = error;
      context.res = failure(context, error);
    }
    const { res } = context;
    if (context.req.method === "HEAD") await res.body?.cancel().catch(() => {});
    res.headers.set("x-request-id", id);
    crossOrigin.allow(context, res.headers);
    secure(res.headers);
    const ms = stopwatch() - began;
    const method = methodOf(context.req.method);
    const route = routeOf(context);
    metrics.recordRequest({ method, route, status: res.status, ms });
    log?.({
      ...{ request: id, method, route, status: res.status, ms: Math.round(ms * 10) / 10 },
      ...saidIn(context),
      ...(thrown !== undefined && !(thrown instanceof Problem) && res.status >= 500 && { failure: failureOf(thrown) }),
    });
  };
}

function saidIn(context: Context<ApiEnv>): { readonly caller?: string; readonly code?: string } {
  const [caller, code] = [context.get("caller"), context.get("code")];
  return { ...(caller && { caller: caller.id }), ...(code !== undefined && { code }) };
}

/** By the pattern it was found by, never as it was written: names and ids of people stand in addresses. */
function routeOf(context: Context<ApiEnv>): string {
  return matchedRoutes(context).findLast(({ path }) => !path.endsWith("/*"))?.path ?? "none";
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const methodOf = (method: string) => (methods.has(method) ? method : "OTHER");
