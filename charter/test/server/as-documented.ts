import { z } from "zod";
import type { Answer, Json } from "./served.ts";

/** Compares every answer with the OpenAPI document: its status is promised there, and it has that shape and no other. */
export function asDocumented(document: Json): (request: string, answer: Answer) => void {
  const schemas = new Map<string, z.ZodType>();
  const defs = exact(document.components.schemas);
  return (request, { status, body }) => {
    const [method = "", path = ""] = request.split(/ (.*)/s);
    const route = routeOf(document, method, `/api${path.split("?")[0]}`);
    const type = route && document.paths[route]?.[method.toLowerCase()]?.responses?.[status]?.content;
    if (!route || !type) {
      // What the server itself objects to, before a route is found.
      if (body?.error?.code && [400, 404, 405].includes(status)) return;
      throw new Error(`${request} answered ${status}, which no one was told of: ${JSON.stringify(body)}`);
    }
    const key = `${method} ${route} ${status}`;
    const schema =
      schemas.get(key) ?? z.fromJSONSchema({ ...exact(type["application/json"].schema), $defs: defs } as never);
    schemas.set(key, schema);
    const { error } = schema.safeParse(body);
    if (error) throw new Error(`${key}: ${z.prettifyError(error)}\n${JSON.stringify(body)}`);
  };
}

export function routeOf(document: Json, method: string, path: string): string | undefined {
  const fits = (template: string) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(path) &&
    document.paths[template][method.toLowerCase()] !== undefined;
  const found = Object.keys(document.paths).filter(fits);
  return found.find((template) => !template.includes("{")) ?? found[0];
}

/** The same schema, in which nothing may stand that it does not name; and as a document of its own has it. */
function exact(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(exact);
  if (typeof schema !== "object" || schema === null) return schema;
  const fields = Object.entries(schema)
    .filter(([name]) => name !== "example")
    .map(([name, value]) => [
      name,
      name === "$ref" ? String(value).replace("#/components/schemas/", "#/$defs/") : exact(value),
    ]);
  const closed = schema.type === "object" && schema.properties && schema.additionalProperties === undefined;
  return { ...Object.fromEntries(fields), ...(closed ? { additionalProperties: false } : {}) };
}
