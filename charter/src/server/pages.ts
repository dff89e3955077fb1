import { createHash } from "node:crypto";
import type { Context, Hono } from "hono";
import type { Asked } from "./api.ts";
import { pagePolicy } from "./security-headers.ts";

/** A file of a page. One whose address changes with its words is `immutable`: a browser never asks for it again. */
export type Page = { readonly type: string; readonly body: string | Uint8Array; readonly immutable?: boolean };

/** Files anyone may read, by their path: pages hold no words of anybody. */
export type Pages = ReadonlyMap<string, Page>;

export function servePages(app: Hono<Asked>, pages: Pages): void {
  for (const [path, page] of pages) app.get(path, servePage(page));
}

export function servePage(page: Page): (context: Context<Asked>) => Response {
  const etag = `"${createHash("sha256").update(page.body).digest("base64url").slice(0, 22)}"`;
  const headers = {
    etag,
    "cache-control": page.immutable ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": pagePolicy,
  };
  const body = typeof page.body === "string" ? page.body : new Uint8Array(page.body);
  return (context) => {
    const known = context.req.header("if-none-match");
    if (known?.split(",").some((one) => one.trim().replace(/^W\//, "") === etag))
      return context.body(null, 304, headers);
    return context.body(body, 200, { ...headers, "content-type": page.type });
  };
}
