import { readFileSync } from "node:fs";
import type { Hono } from "hono";
import type { Host } from "../../host/host.ts";
import { checkOperator } from "../../operations/caller.ts";
import { type Field, type Fields, object, openObject, text } from "../../operations/field.ts";
import { type Operation, routeOf } from "../../operations/operation.ts";
import { allOperations } from "../../operations/operations.ts";
import { type JsonSchema, objectSchema, schemaOf } from "../../operations/read-input.ts";
import type { ApiEnv } from "../api.ts";
import { demoPage, pagePolicy } from "../http/static-pages.ts";
import type { Metrics } from "../observe/metrics.ts";
import { partsOf } from "../operation-routes.ts";

const about =
  "Agents, their prompts and their users. Send “Authorization: Bearer <token>” with every request. Every " +
  "error has the same shape: { error: { code, message, hint } }.";

/** Serves the API's description, as a page and as JSON, and the metrics. */
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
    const rendered = referencePage(JSON.parse(document()) as ApiDocument);
    html = isDemo ? demoPage(rendered) : rendered;
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

/** Addresses besides the routes under /api. */
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

/** Describes the routes of operations in OpenAPI, and collects the schemas they name. */
function describe(operations: readonly Operation[]): {
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
} {
  const schemas = new Map<string, JsonSchema>();
  schemaOf(problem, { named: schemas });
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const one of operations) {
    if (one.route === undefined) continue;
    const { method, path } = routeOf(one.route);
    const at = `/api${path}`;
    paths[at] ??= {};
    (paths[at] as Record<string, JsonSchema>)[method.toLowerCase()] = describeOne(one, schemas);
  }
  return { paths, schemas: Object.fromEntries(schemas) };
}

function describeOne(one: Operation, named: Map<string, JsonSchema>): JsonSchema {
  const { path, query, headers, body } = partsOf(one);
  const parameter =
    (place: string) =>
    ([name, field]: readonly [string, Field<unknown>]) => {
      const { description, ...schema } = schemaOf(field, { named, isStrict: true });
      const isRequired = place === "path" || (!field.more.isOptional && field.more.usual === undefined);
      const { header = name } = field.more;
      // A list in an address is separated by commas.
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

/** Schema of a route's body, under the name of its operation: `SchedulesAdd`. */
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

/**
 * Error statuses of a route: those of all, “not found” for one with a name in its path, and unreadable bodies for one that has a
 * body.
 */
function refusalsOf({ route = "", refuses = [] }: Operation, hasBody: boolean): (keyof typeof refusals)[] {
  const own = [
    ...refuses,
    ...(route.includes("{") ? [404 as const] : []),
    ...(hasBody ? [413 as const, 415 as const] : []),
  ];
  return [...new Set([400, 401, 403, 429, 500, 503, ...own] as const)].sort((one, other) => one - other);
}

type Parameter = { readonly name: string; readonly in: string; readonly required?: boolean } & {
  readonly description?: string;
  readonly schema?: Schema;
};
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
type PageOperation = {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content };
  readonly responses?: Readonly<Record<string, Answer>>;
};
type Answer = { readonly description?: string; readonly content?: Content };
type Schemas = Readonly<Record<string, Schema>>;

/** OpenAPI document, as far as we use the format. */
type ApiDocument = {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, PageOperation>>>>;
  readonly components?: { readonly schemas?: Schemas };
};

/** Renders the API's description as a page, without scripts and without files from elsewhere. */
export function referencePage({ info, paths = {}, components }: ApiDocument): string {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = Map.groupBy(all, ({ operation }) => operation.tags?.[0] ?? "server");
  const schemas = components?.schemas ?? {};
  const shapes = Object.entries(schemas).map(shapePart);
  const parts = [...groups].map(([name, group]) => [name, group.map((one) => operationPart(one, schemas))] as const);
  const chapters = [...parts, ...(shapes.length === 0 ? [] : [["shapes", shapes] as const])];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${words(info.title)}: the API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/charter.css">
</head>
<body>
<main>
<h1>${words(info.title)}</h1>
<p class="soft">${prose(info.description)} Version ${words(info.version)}; <a href="/openapi.json">openapi.json</a>.</p>
<nav>${chapters.map(([name]) => `<a href="#${words(name)}">${words(name)}</a>`).join("")}</nav>
${chapters.map(([name, lines]) => `<h2 id="${words(name)}">${words(name)}</h2>\n${lines.join("\n")}`).join("\n")}
</main>
</body>
</html>
`;
}

type Place = { readonly path: string; readonly method: string; readonly operation: PageOperation };

function operationPart({ path, method, operation }: Place, schemas: Schemas): string {
  const { parameters = [], requestBody, responses = {} } = operation;
  const all: Answers = Object.entries(responses);
  const answers = all.filter(([, { content }]) => !isProblem(content));
  const errors = all.filter(([, { content }]) => isProblem(content));
  return `<details><summary><span class="method ${words(method)}">${words(method.toUpperCase())}</span><code>${words(path)}</code><span class="what">${prose(operation.summary)}</span></summary>
<div>
${operation.description ? `<p>${prose(operation.description)}</p>` : ""}
${parameters.length === 0 ? "" : `<h3>Parameters</h3><table>${parameters.map(parameterRow).join("")}</table>`}
${requestBody?.content ? `<h3>Body</h3>${bodyPart(requestBody.content, schemas)}` : ""}
<h3>Answers</h3><table>${answers.map(answerRow).join("")}</table>
${errors.length === 0 ? "" : `<p class="soft">Else <code>${errors.map(([status]) => words(status)).join(" ")}</code>${contentPart(errors[0]?.[1].content ?? {})}</p>`}
</div></details>`;
}

type Answers = readonly (readonly [status: string, answer: Answer])[];

/** Recognises an error with the shared shape; these are listed together. */
function isProblem(content: Content = {}): boolean {
  return content["application/json"]?.schema?.$ref?.endsWith("/Problem") ?? false;
}

function answerRow([status, { description, content = {} }]: readonly [string, Answer]): string {
  return `<tr><td><code>${words(status)}</code></td><td>${prose(description)}${contentPart(content)}</td></tr>`;
}

function parameterRow({ name, in: place, required, schema, description }: Parameter): string {
  const kind = words(`${place}${required ? "" : ", optional"}`);
  const shape = words(schemaWords(schema ?? {}));
  return `<tr><td><code>${words(name)}</code></td><td class="soft">${kind}</td><td><code>${shape}</code></td><td>${prose(description)}</td></tr>`;
}

/** Shows a body's schema in full where it is used, even if it has a name. */
function bodyPart(content: Content, schemas: Schemas): string {
  const all = Object.values(content).map(({ schema = {} }) => schemas[nameOf(schema) ?? ""] ?? schema);
  return all.map((schema) => `<pre>${words(schemaWords(schema))}</pre>`).join("");
}

function contentPart(content: Content): string {
  const all = Object.entries(content).map(([type, { schema = {} }]) => {
    const name = nameOf(schema);
    const kind = type === "application/json" ? "" : `<span class="soft">${words(type)}</span> `;
    if (name !== undefined) return ` ${kind}<a href="#${words(name)}"><code>${words(name)}</code></a>`;
    return ` ${kind}<pre>${words(schemaWords(schema))}</pre>`;
  });
  return all.join("");
}

function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.split("/").at(-1);
}

/** Shows a schema in a folded element. Its address is inside, so that a browser that is sent there unfolds it. */
function shapePart([name, schema]: readonly [string, Schema]): string {
  const description = schema.description === undefined ? "" : `<p>${prose(schema.description)}</p>`;
  return `<details><summary><code>${words(name)}</code></summary><div id="${words(name)}">${description}<pre>${words(schemaWords(schema))}</pre></div></details>`;
}

function prose(text = ""): string {
  return words(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** Escapes text for a page. */
function words(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}

/** JSON Schema, as far as we use it. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly format?: string;
  readonly description?: string;
};

/** Formats a schema in the style of TypeScript: `{ name: string, times?: integer }`. Named schemas are referred to. */
export function schemaWords(schema: Schema, indent = ""): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) as string;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return several.map((one) => schemaWords(one, indent)).join(" | ");
  if (schema.allOf) return schema.allOf.map((one) => schemaWords(one, indent)).join(" & ");
  const types = [schema.type ?? (schema.properties ? "object" : [])].flat();
  if (types.length === 0) return "any JSON";
  return types.map((type) => typeWords(type, schema, indent)).join(" | ");
}

function typeWords(type: string, schema: Schema, indent: string): string {
  if (type === "array") return `[${schemaWords(schema.items ?? {}, indent)}, …]`;
  if (type === "object") return objectWords(schema, indent);
  return type === "string" && schema.format === "date-time" ? "time" : type;
}

function objectWords({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const deeper = `${indent}  `;
  const known = Object.entries(properties).map(([name, one]) => {
    const comment = one.description === undefined ? "" : `  // ${one.description.replace(/\s+/g, " ")}`;
    return `${deeper}${name}${required.includes(name) ? "" : "?"}: ${schemaWords(one, deeper)}${comment}`;
  });
  const open = typeof additionalProperties === "object" ? schemaWords(additionalProperties, deeper) : "any JSON";
  const others = additionalProperties ? [`${deeper}…: ${open}`] : [];
  const lines = [...known, ...others];
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${indent}}`;
}
