import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { oneLine, preview } from "../../prompt/character.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";
import { failure } from "../http/error.ts";
import { secure } from "../http/static-pages.ts";
import { isOwn } from "../http/this-server.ts";
import { failureOf, type Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";

const health = new Set(["/health", "/health/ready"]);

/** Surrounds every request: sets its id and security headers, writes a line in the log, and counts it in the metrics. */
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
      // Health checks may use the server's IP address, so their host name is not checked.
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
    const json = context.get("json");
    if (json !== undefined && res.body === null) {
      // Removed first: what replaces an answer would get its headers.
      context.res = undefined;
      context.res = context.env.send?.(res, json);
    }
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

/** Pattern of the matched route, never the path itself: it contains names and ids of people. */
function routeOf(context: Context<ApiEnv>): string {
  return matchedRoutes(context).findLast(({ path }) => !path.endsWith("/*"))?.path ?? "none";
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const methodOf = (method: string) => (methods.has(method) ? method : "OTHER");

const allowedMethods = "GET, HEAD, POST, PUT, PATCH, DELETE";
const allowedHeaders = "authorization, content-type, accept, idempotency-key";
const exposedHeaders = "x-request-id, retry-after, x-vercel-ai-ui-message-stream";

/** Policy for other sites' pages (CORS): listed origins may ask, with a token, never with a cookie. By default there are none. */
type CrossOrigin = {
  /** Refuses a page that is neither the server's own nor one of these, whatever it brings to be let in. */
  readonly check: MiddlewareHandler<ApiEnv>;
  /** Answers a browser's preflight request. */
  readonly preflight: (context: Context<ApiEnv>) => Response | undefined;
  readonly allow: (context: Context<ApiEnv>, headers: Headers) => void;
};

export function createCrossOrigin(origins: readonly string[]): CrossOrigin {
  const trusted = new Set(origins.map(checkedOrigin));
  const trustedIn = (context: Context<ApiEnv>) => {
    if (trusted.size === 0) return undefined;
    const origin = context.req.header("origin");
    return origin !== undefined && trusted.has(origin) ? origin : undefined;
  };
  return {
    check: async (context, next) => {
      const origin = context.req.header("origin");
      if (origin === undefined || trusted.has(origin) || isOwn(origin, context.req.url)) return next();
      throw new Problem(
        "foreign-page",
        `Pages of “${preview(oneLine(origin), 100)}” may not ask here.`,
        "Ask from a program; or name the origin of the page in the setting `origins`.",
      );
    },
    preflight: (context) => {
      if (context.req.method !== "OPTIONS" || !context.req.header("access-control-request-method")) return undefined;
      if (trustedIn(context) === undefined) return undefined;
      const headers = {
        "access-control-allow-methods": allowedMethods,
        "access-control-allow-headers": allowedHeaders,
        "access-control-max-age": "600",
      };
      return context.body(null, 204, headers);
    },
    allow: (context, headers) => {
      if (trusted.size > 0) headers.append("vary", "origin");
      const origin = trustedIn(context);
      if (origin === undefined) return;
      headers.set("access-control-allow-origin", origin);
      headers.set("access-control-expose-headers", exposedHeaders);
      headers.set("cross-origin-resource-policy", "cross-origin");
    },
  };
}

function checkedOrigin(origin: string): string {
  if (URL.canParse(origin) && new URL(origin).origin === origin && /^https?:/.test(origin)) return origin;
  throw new Problem(
    "bad-origin",
    `“${origin}” is no origin.`,
    "Give one like https://app.example.com, without a path.",
  );
}

/**
 * Refuses paths that readers could understand differently: invalid or overlong encoding, control characters, bare backslashes. An
 * encoded slash or backslash may be part of a name (“a%2Fb”, “CORP%5Cann”), since routes are matched before it is decoded.
 */
export function checkPath(url: string): void {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.slice(start).search(/[?#]/);
  const path = start === -1 ? "/" : url.slice(start, end === -1 ? undefined : start + end);
  if (plain.test(path) && !path.includes("//")) return;
  const decoded = decode(path);
  if (decoded !== undefined && !/\p{Cc}/u.test(decoded) && !/\/\/|\\/.test(path)) return;
  throw new Problem(
    "bad-request",
    "The address cannot be read.",
    "Encode each name in it once, as UTF-8, and leave out control characters and empty parts.",
  );
}

const plain = /^[\w/.~-]*$/;

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
