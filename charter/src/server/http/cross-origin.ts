import type { Context } from "hono";
import { Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";

const methods = "GET, HEAD, POST, PUT, PATCH, DELETE";
const allowedHeaders = "authorization, content-type, accept, idempotency-key";
const exposedHeaders = "x-request-id, retry-after, x-vercel-ai-ui-message-stream";

/** Pages of other sites that may ask, with a token; a cookie is never taken from them. None, unless the operator says so. */
export type CrossOrigin = {
  /** The answer to a browser that asks whether it may ask. */
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
    preflight: (context) => {
      if (context.req.method !== "OPTIONS" || !context.req.header("access-control-request-method")) return undefined;
      if (trustedIn(context) === undefined) return undefined;
      const headers = {
        "access-control-allow-methods": methods,
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
