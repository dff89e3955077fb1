import { readFileSync } from "node:fs";
import type { Hono } from "hono";
import type { Host } from "../../host/host.ts";
import { checkOperator } from "../../operations/caller.ts";
import { allOperations } from "../../operations/operations.ts";
import type { ApiEnv } from "../api.ts";
import { demoPage } from "../http/demo-page.ts";
import { pagePolicy } from "../http/security-headers.ts";
import type { Metrics } from "../observe/metrics.ts";
import { describe } from "./reference-document.ts";
import { type ApiDocument, referencePage } from "./reference-page.ts";

const about =
  "Agents, their prompts and their users. Send “Authorization: Bearer <token>” with every request. Every " +
  "error has the same shape: { error: { code, message, hint } }.";

/** What the server says of itself: its API's description, to read and for programs, and what it has counted. */
export function serveReference(
  app: Hono<ApiEnv>,
  { host, metrics, isDemo }: { readonly host: Host; readonly metrics: Metrics; readonly isDemo: boolean },
): void {
  let json: string | undefined;
  let html: string | undefined;
  const document = () => {
    if (json !== undefined) return json;
    const { paths, schemas } = describe(allOperations);
    json = JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Charter", version: versionOf(), description: about },
      security: [{ token: [] }, { cookie: [] }],
      components: { schemas, securitySchemes },
      paths: { ...paths, ...beside },
    });
    return json;
  };
  const page = () => {
    if (html !== undefined) return html;
    const made = referencePage(JSON.parse(document()) as ApiDocument);
    html = isDemo ? demoPage(made) : made;
    return html;
  };
  app.get("/openapi.json", (context) => context.body(document(), 200, { "content-type": "application/json" }));
  app.get("/docs", (context) => context.html(page(), 200, { "content-security-policy": pagePolicy }));
  app.get("/metrics", async (context) => {
    checkOperator(context.get("caller"), "reading metrics");
    return context.body(await metrics.text(host), 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
  });
}

const securitySchemes = {
  token: { type: "http", scheme: "bearer", description: "A token that the operator created, or a JWT." },
  cookie: {
    ...{ type: "apiKey", in: "cookie", name: "charter_session" },
    description: "The cookie of the pages; changes need the header “x-charter-csrf: 1”.",
  },
};

const says = (description: string) => ({ description });

/** What is answered beside the routes under /api. */
const beside = {
  "/health": {
    get: {
      ...{ security: [], summary: "Check that the server is alive" },
      responses: { 200: says("The server is alive.") },
    },
  },
  "/health/ready": {
    get: {
      ...{ security: [], summary: "Check that the server can work" },
      responses: {
        200: says("The store answers."),
        503: says("The store does not answer, its database is gone, or the server is closing."),
      },
    },
  },
  "/metrics": {
    get: {
      summary: "Get metrics for Prometheus",
      responses: {
        200: says("Prometheus' text format; an operator's token is needed."),
        403: says("Not an operator."),
      },
    },
  },
};

function versionOf(): string {
  const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  return (manifest as { version: string }).version;
}
