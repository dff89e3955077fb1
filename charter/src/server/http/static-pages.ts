import { createHash, randomBytes } from "node:crypto";
import type { Context, Hono } from "hono";
import type { ApiEnv } from "../api.ts";

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

/** What a browser may do with an answer, whatever it is. */
const always: readonly (readonly [name: string, value: string])[] = [
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["x-frame-options", "DENY"],
];

/** Nothing at all, unless it is a page; nobody keeps it, unless it says so; no other site's page has it. */
const usual: readonly (readonly [name: string, value: string])[] = [
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"],
  ["cache-control", "no-store"],
  ["cross-origin-resource-policy", "same-origin"],
];

/** A page has its own files and nobody else's; no script stands in the page itself. */
export const pagePolicy = pagePolicyWith({});

/**
 * `nonce`: where an editor writes styles of its own, they carry what the page was given. `ownPictures`: the page shows
 * pictures it has fetched itself, or was given by who looks at it.
 */
export function pagePolicyWith(more: { readonly nonce?: string; readonly ownPictures?: boolean | undefined }): string {
  const styles = more.nonce === undefined ? "'self'" : `'self' 'nonce-${more.nonce}'`;
  const pictures = more.ownPictures ? "'self' data: blob:" : "'self' data:";
  return (
    `default-src 'none'; script-src 'self'; style-src ${styles}; img-src ${pictures}; font-src 'self'; ` +
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
  );
}

export function secure(headers: Headers): void {
  for (const [name, value] of always) headers.set(name, value);
  for (const [name, value] of usual) if (!headers.has(name)) headers.set(name, value);
}

/** What a plain page says of a demo; the pages of the studio say it in their own words. */
const notice =
  '<p class="demo" role="note"><strong>Demo.</strong> Everything here is made up, and a script answers. Nothing leaves this machine.</p>';

/** Every page of a demo says that it is one, before anybody has signed in and without any script. */
export function demoPages(pages: StaticPages): StaticPages {
  return new Map([...pages].map(([path, page]) => [path, page.type.startsWith("text/html") ? marked(page) : page]));
}

function marked(page: StaticPage): StaticPage {
  const text = typeof page.body === "string" ? page.body : new TextDecoder().decode(page.body);
  return { ...page, body: demoPage(text) };
}

/** A document that is marked as a demo's. A plain one has no script to say it: it is told in its first line. */
export function demoPage(html: string): string {
  const named = html.replace("<html ", '<html data-demo="" ');
  return named.includes('href="/charter.css"') ? named.replace(/<body[^>]*>/, (body) => `${body}\n${notice}`) : named;
}
