import { createHash, randomBytes } from "node:crypto";
import type { Context, Hono } from "hono";
import type { ApiEnv } from "../api.ts";
import { pagePolicyWith } from "./security-headers.ts";

/** A file that the server serves. */
export type StaticPage = {
  readonly type: string;
  readonly body: string | Uint8Array;
  /** Its address changes with its content, so browsers never ask for it again. */
  readonly immutable?: boolean;
  /** The same, compressed beforehand. */
  readonly compressed?: { readonly br?: Uint8Array; readonly gzip?: Uint8Array };
  /** This text is replaced, with every answer, by one that nobody can guess: styles with it are the page's own. */
  readonly nonce?: string;
  /** It shows pictures that it has fetched itself. */
  readonly ownPictures?: boolean;
};

/** Files that anyone may read, by their path, which may be a router's pattern. */
export type StaticPages = ReadonlyMap<string, StaticPage>;

export function servePages(app: Hono<ApiEnv>, pages: StaticPages): void {
  for (const [path, page] of pages) app.get(path, servePage(page));
}

function servePage(page: StaticPage): (context: Context<ApiEnv>) => Response {
  return page.nonce === undefined ? serveFile(page) : serveWithNonce(page, page.nonce);
}

function serveFile(page: StaticPage): (context: Context<ApiEnv>) => Response {
  const etag = `"${createHash("sha256").update(page.body).digest("base64url").slice(0, 22)}"`;
  const { compressed: packed } = page;
  const headers = {
    etag,
    "cache-control": page.immutable ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": pagePolicyWith({ ownPictures: page.ownPictures }),
    ...(packed ? { vary: "accept-encoding" } : {}),
  };
  return (context) => {
    const known = context.req.header("if-none-match");
    if (known?.split(",").some((one) => one.trim().replace(/^W\//, "") === etag))
      return context.body(null, 304, headers);
    const read = context.req.header("accept-encoding") ?? "";
    const way = (["br", "gzip"] as const).find((one) => packed?.[one] && accepts(read, one));
    const body = way === undefined ? page.body : (packed?.[way] as Uint8Array);
    return context.body(typeof body === "string" ? body : new Uint8Array(body), 200, {
      ...headers,
      "content-type": page.type,
      ...(way === undefined ? {} : { "content-encoding": way }),
    });
  };
}

function accepts(header: string, way: string): boolean {
  return header.split(",").some((one) => {
    const [name, weight = "1"] = one
      .trim()
      .toLowerCase()
      .split(/\s*;\s*q=/);
    return name === way && Number(weight) > 0;
  });
}

function serveWithNonce(
  { type, body, ownPictures }: StaticPage,
  words: string,
): (context: Context<ApiEnv>) => Response {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  return (context) => {
    const nonce = randomBytes(16).toString("base64");
    return context.body(text.replaceAll(words, nonce), 200, {
      "content-type": type,
      "cache-control": "no-store",
      "content-security-policy": pagePolicyWith({ nonce, ownPictures }),
    });
  };
}
