import type { Field, Fields } from "./field.ts";

/** JSON Schema, as OpenAPI 3.1 and MCP take it. */
export type JsonSchema = { readonly [name: string]: unknown };

/**
 * The JSON Schema of a field. Schemas that have a name are added to `named` and referred to; without it they stand where
 * they are used. What is given is closed (`isStrict`): what is not known is refused. An answer is open.
 */
export function schemaOf(
  field: Field<unknown>,
  { named, isStrict = false }: { readonly named?: Map<string, JsonSchema>; readonly isStrict?: boolean } = {},
): JsonSchema {
  const { schema: name, about, isNullable, says, example, usual } = field.more;
  const how = { ...(named && { named }), isStrict };
  const isNamed = name !== undefined && named !== undefined;
  const description = isNamed ? about : says;
  const own = {
    ...plainSchema(field, how),
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
    ...(usual === undefined ? {} : { default: usual }),
  };
  if (!isNamed) return isNullable ? orNull(own) : own;
  if (!named.has(name)) named.set(name, own);
  const here = says === undefined || says === about ? {} : { description: says };
  const reference = { $ref: `#/components/schemas/${name}`, ...here };
  return isNullable ? orNull(reference) : reference;
}

function orNull(schema: JsonSchema): JsonSchema {
  return typeof schema.type === "string" && schema.enum === undefined
    ? { ...schema, type: [schema.type, "null"] }
    : { anyOf: [schema, { type: "null" }] };
}

type How = { readonly named?: Map<string, JsonSchema>; readonly isStrict: boolean };

function plainSchema({ kind }: Field<unknown>, how: How): JsonSchema {
  switch (kind.is) {
    case "text":
      return {
        type: "string",
        ...(kind.format && { format: kind.format }),
        ...(kind.pattern && { pattern: kind.pattern.form.source }),
      };
    case "number":
      return {
        type: kind.whole ? "integer" : "number",
        ...(kind.least === undefined ? {} : { minimum: kind.least }),
        ...(kind.most === undefined ? {} : { maximum: kind.most }),
      };
    case "flag":
      return { type: "boolean" };
    case "one-of":
      return { type: typeof kind.values[0], enum: kind.values };
    case "list":
      return {
        type: "array",
        items: schemaOf(kind.item, how),
        ...(kind.least === undefined ? {} : { minItems: kind.least }),
        ...(kind.most === undefined ? {} : { maxItems: kind.most }),
      };
    case "object":
      return { ...objectSchema(kind.fields, how), ...(kind.open && { additionalProperties: {} }) };
    case "record":
      return { type: "object", additionalProperties: schemaOf(kind.item, how) };
    case "either":
      return { anyOf: kind.fields.map((one) => schemaOf(one, how)) };
    case "anything":
      return {};
  }
}

/** The schema of an object with these fields. */
export function objectSchema(fields: Fields, how: Partial<How> = {}): JsonSchema {
  const required = Object.entries(fields).filter(([, { more }]) => !more.isOptional && more.usual === undefined);
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field, how)])),
    ...(required.length === 0 ? {} : { required: required.map(([name]) => name) }),
    ...(how.isStrict && { additionalProperties: false }),
  };
}

/** An answer as users are told it: the fields that say so, of objects in it again only those. */
export function toldPart(field: Field<unknown>, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { kind } = field;
  switch (kind.is) {
    case "list":
      return Array.isArray(value) ? value.map((item) => toldPart(kind.item, item)) : undefined;
    case "object": {
      const told = Object.entries(kind.fields).filter(([name, { more }]) => more.isTold && Object.hasOwn(value, name));
      return Object.fromEntries(
        told.map(([name, one]) => [name, toldPart(one, (value as Record<string, unknown>)[name])]),
      );
    }
    case "record":
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toldPart(kind.item, item)]));
    case "either":
      // The shape that knows all of the value's names; where none does, what all of them tell.
      return toldPart(shapeOf(kind.fields, value), value);
    default:
      return value;
  }
}

function shapeOf(fields: readonly Field<unknown>[], value: object): Field<unknown> {
  const names = Object.keys(value);
  const unknownTo = ({ kind }: Field<unknown>) =>
    kind.is === "object" ? names.filter((name) => !Object.hasOwn(kind.fields, name)).length : names.length;
  return fields.toSorted((one, other) => unknownTo(one) - unknownTo(other))[0] as Field<unknown>;
}
