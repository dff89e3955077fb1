import type { Context, Hono } from "hono";
import type { ApiEnv } from "../api.ts";
import { problemAnswer } from "./error.ts";
import { pagePolicyWith } from "./security-headers.ts";

/** For somebody at a browser. */
const noSuchPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Page not found · Charter</title>
<h1>Page not found</h1>
<p>There is no page at this address. Check it, or <a href="/">go to the first page</a>.</p>
</html>
`;

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Nothing is there; or something is, and is asked in another way. */
export function notFoundAnswer(app: Hono<ApiEnv>, context: Context<ApiEnv>): Response {
  const { path, method } = context.req;
  const known = methods.filter((one) => app.router.match(one, path)[0].some(([[, route]]) => route.method === one));
  const allow = known.flatMap((one) => (one === "GET" ? ["GET", "HEAD"] : [one])).join(", ");
  if (known.length > 0 && method === "OPTIONS") return context.body(null, 204, { allow });
  if (known.length > 0) {
    const told = {
      code: "method-not-allowed",
      message: `This address does not accept ${/^[A-Z]{1,10}$/.test(method) ? method : "that method"}.`,
      hint: `Use ${allow}.`,
    };
    return problemAnswer(context, told, { headers: { allow } });
  }
  if (!path.startsWith("/api/") && context.req.header("accept")?.includes("text/html"))
    return context.body(noSuchPage, 404, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": pagePolicyWith({}),
    });
  const told = {
    code: "not-found",
    message: "There is no such address on this server.",
    hint: "/docs lists every address.",
  };
  return problemAnswer(context, told);
}
