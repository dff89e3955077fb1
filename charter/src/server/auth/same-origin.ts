import type { Context } from "hono";
import { Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";

/**
 * A cookie comes by itself, whichever page asks: another page of the same site (a cookie knows no ports) may have sent
 * it here. So a change needs two things only our own page can say: that it is our own, in words the browser writes, and
 * a header no other page may send without being asked first.
 */
export function checkSameOrigin(context: Context<ApiEnv>): void {
  const read = context.req.method === "GET" || context.req.method === "HEAD";
  const site = context.req.header("sec-fetch-site");
  const origin = context.req.header("origin");
  const foreign = site !== undefined && site !== "same-origin" && !(read && site === "none");
  const own = origin === undefined ? site === "same-origin" : isOwn(origin, context.req.url);
  if (!foreign && (read ? origin === undefined || own : own && context.req.header("x-charter-csrf") === "1")) return;
  throw new Problem(
    "foreign-page",
    "The sign-in cookie is accepted only from the server's own pages.",
    "From a program, send a token in the header “Authorization”; from the page, send “x-charter-csrf: 1” as well.",
  );
}

/** A proxy that ends TLS asks by http what the browser asked by https: the name decides. */
function isOwn(origin: string, url: string): boolean {
  const asked = /^(https?):\/\/([^/?#]+)/.exec(url);
  const page = /^(https?):\/\/([^/?#]+)$/.exec(origin);
  if (!asked || !page) return false;
  return page[2]?.toLowerCase() === asked[2]?.toLowerCase() && (page[1] === asked[1] || page[1] === "https");
}
