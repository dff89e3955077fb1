type Parameter = { readonly name: string; readonly in: string; readonly required?: boolean } & {
  readonly description?: string;
  readonly schema?: Schema;
};
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
type Operation = {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content };
  readonly responses?: Readonly<Record<string, Answer>>;
};
type Answer = { readonly description?: string; readonly content?: Content };
type Schemas = Readonly<Record<string, Schema>>;

/** An OpenAPI document, as far as ours go. */
export type ApiDocument = {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Schemas };
};

/** The API's description as a page to read: nothing from elsewhere, no script. */
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

type Place = { readonly path: string; readonly method: string; readonly operation: Operation };

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

/** Most errors say the same of every route: they stand together. */
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

/** What a caller has to write stands where it is needed, whether it has a name or not. */
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

/** The address of a shape is inside what is folded: a browser that is sent there unfolds it. */
function shapePart([name, schema]: readonly [string, Schema]): string {
  const said = schema.description === undefined ? "" : `<p>${prose(schema.description)}</p>`;
  return `<details><summary><code>${words(name)}</code></summary><div id="${words(name)}">${said}<pre>${words(schemaWords(schema))}</pre></div></details>`;
}

function prose(text = ""): string {
  return words(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** Words in a page: nothing in them can be taken for anything else. */
function words(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}

/** A JSON Schema, as far as ours go. */
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

/** A schema as someone would write it down: `{ name: string, times?: integer }`. Schemas with a name are named. */
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
    const said = one.description === undefined ? "" : `  // ${one.description.replace(/\s+/g, " ")}`;
    return `${deeper}${name}${required.includes(name) ? "" : "?"}: ${schemaWords(one, deeper)}${said}`;
  });
  const open = typeof additionalProperties === "object" ? schemaWords(additionalProperties, deeper) : "any JSON";
  const others = additionalProperties ? [`${deeper}…: ${open}`] : [];
  const lines = [...known, ...others];
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${indent}}`;
}
