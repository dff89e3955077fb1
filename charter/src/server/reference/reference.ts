import { readFileSync } from "node:fs";
import type { Hono } from "hono";
import type { Host } from "../../host/host.ts";
import { checkOperator } from "../../operations/caller.ts";
import { type Field, type Fields, object, openObject, text } from "../../operations/field.ts";
import { type Operation, routeOf } from "../../operations/operation.ts";
import { allOperations } from "../../operations/operations.ts";
import { type JsonSchema, objectSchema, schemaOf } from "../../operations/schema.ts";
import type { ApiEnv } from "../api.ts";
import { demoPage, pagePolicy } from "../http/static-pages.ts";
import type { Metrics } from "../observe/metrics.ts";
import { partsOf } from "../operation-routes.ts";
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

const problem = object({
  error: openObject({
    code: text("One word, the same everywhere; docs/problems.md explains it."),
    message: text("What happened, with the real names."),
    hint: text("What to do about it."),
  }),
})
  .named("Problem", "The one shape of every error.")
  .example({
    error: {
      code: "not-found",
      message: "There is no note “x” here.",
      hint: "Check the address, and that your token has access.",
    },
  });

/** The routes of operations as OpenAPI describes them, and the schemas they name. */
function describe(operations: readonly Operation[]): {
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
} {
  const named = new Map<string, JsonSchema>();
  schemaOf(problem, { named });
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const one of operations) {
    if (one.route === undefined) continue;
    const { method, path } = routeOf(one.route);
    const at = `/api${path}`;
    paths[at] ??= {};
    (paths[at] as Record<string, JsonSchema>)[method.toLowerCase()] = describeOne(one, named);
  }
  return { paths, schemas: Object.fromEntries(named) };
}

function describeOne(one: Operation, named: Map<string, JsonSchema>): JsonSchema {
  const { path, query, headers, body } = partsOf(one);
  const parameter =
    (place: string) =>
    ([name, field]: readonly [string, Field<unknown>]) => {
      const { description, ...schema } = schemaOf(field, { named, isStrict: true });
      const isRequired = place === "path" || (!field.more.isOptional && field.more.usual === undefined);
      const { header = name } = field.more;
      // A list in an address has commas between.
      const commas = field.kind.is === "list" && { style: "form", explode: false };
      return {
        ...{ name: place === "header" ? header : name, in: place, ...commas, required: isRequired, schema },
        ...(description === undefined ? {} : { description }),
      };
    };
  const parameters = [
    ...Object.entries(path).map(parameter("path")),
    ...Object.entries(query).map(parameter("query")),
    ...Object.entries(headers).map(parameter("header")),
  ];
  const json = (schema: JsonSchema) => ({ content: { "application/json": { schema } } });
  const { statuses = { 200: "The answer." } } = one;
  const answer = schemaOf(one.answer, { named });
  return {
    operationId: one.name,
    tags: [one.name.split(".")[0]],
    summary: one.says,
    ...(one.about === undefined ? {} : { description: one.about }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body && { requestBody: { required: body.isRequired, ...json(bodySchema(one, body.fields, named)) } }),
    ...(one.body && { requestBody: { required: true, ...json(schemaOf(one.body, { named, isStrict: true })) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(statuses).map(([status, description]) => [
          status,
          {
            description,
            content: one.sends
              ? { [one.sends]: { schema: answer } }
              : { ...json(answer).content, ...(one.streams && stream) },
          },
        ]),
      ),
      ...Object.fromEntries(
        refusalsOf(one, (body ?? one.body) !== undefined).map((status) => [
          status,
          { description: refusals[status], ...json({ $ref: "#/components/schemas/Problem" }) },
        ]),
      ),
    },
  };
}

const stream = { "text/event-stream": { schema: { type: "string" } } };

/** What a route is sent, under the name of its operation: `SchedulesAdd`. */
function bodySchema({ name, example }: Operation, fields: Fields, named: Map<string, JsonSchema>): JsonSchema {
  const schema = name.replaceAll(/(?:^|[.-])(\w)/g, (_, letter: string) => letter.toUpperCase());
  named.set(schema, { ...objectSchema(fields, { named, isStrict: true }), ...(example && { example }) });
  return { $ref: `#/components/schemas/${schema}` };
}

const refusals = {
  400: "The request is invalid.",
  401: "There is no token, or it is unknown, expired or revoked.",
  403: "The token does not allow this.",
  404: "It does not exist, or belongs to someone else.",
  409: "It was decided, changed or taken in the meantime.",
  410: "It was erased.",
  413: "The body is too large.",
  415: "The body is not JSON.",
  422: "It was refused, with every reason.",
  429: "Too many requests; Retry-After says when to try again.",
  500: "An unexpected error; the server's log has the details.",
  502: "The model gave no answer.",
  503: "The store cannot be reached, the server is closing, or the model is busy (`model-busy`).",
} as const;

/** What every route may answer; one with a name in its path that nothing has it; one with a body that it is not to be read. */
function refusalsOf({ route = "", refuses = [] }: Operation, hasBody: boolean): (keyof typeof refusals)[] {
  const own = [
    ...refuses,
    ...(route.includes("{") ? [404 as const] : []),
    ...(hasBody ? [413 as const, 415 as const] : []),
  ];
  return [...new Set([400, 401, 403, 429, 500, 503, ...own] as const)].sort((one, other) => one - other);
}
