import { createHash, randomBytes } from "node:crypto";
import type { Context, Hono } from "hono";
import type { ApiEnv } from "../api.ts";

/** A file that the server serves. */
export type StaticPage = {
  readonly type: string;
  readonly body: string | Uint8Array;
  /** Lets browsers keep it for good, because its address changes with its content. */
  readonly immutable?: boolean;
  /** Compressed forms of the body. */
  readonly compressed?: { readonly br?: Uint8Array; readonly gzip?: Uint8Array };
  /** Text that each answer replaces by a random nonce, which marks styles as the page's own. */
  readonly nonce?: string;
  /** Lets the page show pictures that it has fetched itself. */
  readonly ownPictures?: boolean;
};

/** Public files by their path, which may be a router's pattern. */
export type StaticPages = ReadonlyMap<string, StaticPage>;

export function servePages(app: Hono<ApiEnv>, pages: StaticPages): void {
  for (const [path, page] of pages) app.get(path, servePage(page));
}

function servePage(page: StaticPage): (context: Context<ApiEnv>) => Response {
  return page.nonce === undefined ? serveFile(page) : serveWithNonce(page, page.nonce);
}

function serveFile(page: StaticPage): (context: Context<ApiEnv>) => Response {
  const etag = `"${createHash("sha256").update(page.body).digest("base64url").slice(0, 22)}"`;
  const { compressed } = page;
  const headers = {
    etag,
    "cache-control": page.immutable ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": pagePolicyWith({ ownPictures: page.ownPictures }),
    ...(compressed ? { vary: "accept-encoding" } : {}),
  };
  return (context) => {
    const known = context.req.header("if-none-match");
    if (known?.split(",").some((one) => one.trim().replace(/^W\//, "") === etag))
      return context.body(null, 304, headers);
    const read = context.req.header("accept-encoding") ?? "";
    const way = (["br", "gzip"] as const).find((one) => compressed?.[one] && accepts(read, one));
    const body = way === undefined ? page.body : (compressed?.[way] as Uint8Array);
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

/** Headers of every answer, which limit what a browser may do with it. */
const always: readonly (readonly [name: string, value: string])[] = [
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["x-frame-options", "DENY"],
];

/**
 * Headers of answers that do not set their own: nothing may be loaded or run, nothing is cached, and no other site's page may use
 * it.
 */
const usual: readonly (readonly [name: string, value: string])[] = [
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"],
  ["cache-control", "no-store"],
  ["cross-origin-resource-policy", "same-origin"],
];

/** Content security policy of a page: it loads its own files and nothing else, and has no inline scripts. */
export const pagePolicy = pagePolicyWith({});

/**
 * Content security policy with exceptions. `nonce` allows an editor's own styles, which carry it. `ownPictures` allows pictures
 * that the page has fetched, or its user has chosen.
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

/** Line on a plain page of a demo; the studio's pages have their own. */
const notice =
  '<p class="demo" role="note"><strong>Demo.</strong> Everything here is made up, and a script answers. Nothing leaves this machine.</p>';

/** Marks every page of a demo, even before sign-in and without scripts. */
export function demoPages(pages: StaticPages): StaticPages {
  return new Map([...pages].map(([path, page]) => [path, page.type.startsWith("text/html") ? marked(page) : page]));
}

function marked(page: StaticPage): StaticPage {
  const text = typeof page.body === "string" ? page.body : new TextDecoder().decode(page.body);
  return { ...page, body: demoPage(text) };
}

/** Marks a document of a demo. A plain page has no script to show it, so it gets a line at its top. */
export function demoPage(html: string): string {
  const marked = html.replace("<html ", '<html data-demo="" ');
  return marked.includes('href="/charter.css"')
    ? marked.replace(/<body[^>]*>/, (body) => `${body}\n${notice}`)
    : marked;
}
