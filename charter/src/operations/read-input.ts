import { defined } from "../prompt/argument.ts";
import { counted, eitherOf, grouped, listed } from "../prompt/problem.ts";
import type { Field, Fields } from "./field.ts";

/** A field of an input that is not valid, and why. */
export type InvalidField = { readonly at: string; readonly reason: string };

/**
 * Reads an input by its fields and adds every error to `invalid`. With `isText`, as in an address or on a command line, all
 * values are text, and numbers and flags are parsed from it.
 */
export function readFields(
  fields: Fields,
  given: Readonly<Record<string, unknown>>,
  { at, isText, invalid }: Reading,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const place = at === "" ? name : `${at}.${name}`;
    const value = readField(field, Object.hasOwn(given, name) ? given[name] : undefined, {
      at: place,
      isText,
      invalid,
    });
    if (value !== undefined) values[name] = value;
  }
  for (const name of Object.keys(given))
    if (!Object.hasOwn(fields, name))
      invalid.push({ at: at === "" ? name : `${at}.${name}`, reason: `is not known here; known: ${known(fields)}` });
  return values;
}

type Reading = { readonly at: string; readonly isText: boolean; readonly invalid: InvalidField[] };

function known(fields: Fields): string {
  return listed(Object.keys(fields));
}

/** Reads one value. */
export function readField({ kind, more }: Field<unknown>, value: unknown, reading: Reading): unknown {
  const { at, isText, invalid } = reading;
  const wrong = (reason: string) => void invalid.push({ at, reason });
  if (value === undefined) {
    if (more.usual !== undefined) return more.usual;
    return more.isOptional ? undefined : wrong("is missing");
  }
  if (value === null && more.isNullable) return null;
  switch (kind.is) {
    case "text":
      if (typeof value !== "string") return wrong(`must be text, and is ${kindOf(value)}`);
      return kind.pattern && !kind.pattern.form.test(value) ? wrong(kind.pattern.reason) : value;
    case "number":
      // A typed whole number may not be negative unless its field allows it.
      if (!isText || typeof value !== "string") return readNumber(kind, value, wrong);
      return readNumber(kind.whole ? { least: 0, ...kind } : kind, numberIn(value, kind.whole), wrong);
    case "flag":
      if (isText && (value === "true" || value === "false")) return value === "true";
      return typeof value === "boolean" ? value : wrong(`must be true or false, and is ${kindOf(value)}`);
    case "one-of": {
      const match = kind.values.find((one) => one === value || (isText && String(one) === value));
      return match ?? wrong(`must be ${choiceOf(kind.values)}, and is ${valueText(value)}`);
    }
    case "list": {
      // A list in an address is separated by commas.
      const items = isText && typeof value === "string" ? value.split(",") : value;
      if (!Array.isArray(items)) return wrong(`must be a list, and is ${kindOf(items)}`);
      const { least = 0, most = Number.POSITIVE_INFINITY } = kind;
      if (items.length < least) return wrong(`must have at least ${counted(least, "entry", "entries")}`);
      if (items.length > most) return wrong(`must have at most ${counted(most, "entry", "entries")}`);
      return items.map((item, index) => readField(kind.item, item, { ...reading, at: `${at}.${index}` }));
    }
    case "object":
      if (!isPlain(value)) return wrong(`must be an object, and is ${kindOf(value)}`);
      if (kind.open) {
        const own = Object.fromEntries(Object.entries(value).filter(([name]) => Object.hasOwn(kind.fields, name)));
        return { ...value, ...readFields(kind.fields, own, reading) };
      }
      return readFields(kind.fields, value, reading);
    case "record":
      if (!isPlain(value)) return wrong(`must be an object, and is ${kindOf(value)}`);
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [
          name,
          readField(kind.item, item, { ...reading, at: `${at}.${name}` }),
        ]),
      );
    case "either":
      return readEither(kind.fields, value, reading);
    case "anything":
      return value;
  }
}

/**
 * Reads a value by the first shape that fits. If none does, the errors are those of the shape with the same kind, which is most
 * likely meant.
 */
function readEither(fields: readonly Field<unknown>[], value: unknown, reading: Reading): unknown {
  const kind = kindName(fields);
  if (kind !== undefined && isPlain(value)) return readKind(fields, kind, value, reading);
  const tried = fields.map((field) => {
    const invalid: InvalidField[] = [];
    return { invalid, value: readField(field, value, { ...reading, invalid }) };
  });
  const fits = tried.find(({ invalid }) => invalid.length === 0);
  if (fits) return fits.value;
  const nearest = tried.find(({ invalid }) => invalid.every(({ at }) => at !== reading.at)) ?? tried[0];
  reading.invalid.push(...(nearest?.invalid ?? []));
  return undefined;
}

/** Name of the field that tells the shapes apart: in each of them it has exactly one allowed word. */
function kindName(fields: readonly Field<unknown>[]): string | undefined {
  const [first] = fields;
  const names = first?.kind.is === "object" ? Object.keys(first.kind.fields) : [];
  return names.find((name) => fields.every((field) => wordsAt(field, name).length === 1));
}

function wordsAt({ kind }: Field<unknown>, name: string): readonly unknown[] {
  const own = kind.is === "object" ? kind.fields[name]?.kind : undefined;
  return own?.is === "one-of" ? own.values : [];
}

function readKind(
  fields: readonly Field<unknown>[],
  name: string,
  value: Readonly<Record<string, unknown>>,
  reading: Reading,
): unknown {
  const meant = fields.find((field) => wordsAt(field, name).includes(value[name]));
  if (meant) return readField(meant, value, reading);
  const words = fields.flatMap((field) => wordsAt(field, name) as string[]);
  const is = value[name] === undefined ? "is missing" : `must be ${choiceOf(words)}, and is ${valueText(value[name])}`;
  return void reading.invalid.push({ at: `${reading.at}.${name}`, reason: is });
}

type NumberKind = { readonly whole: boolean; readonly least?: number; readonly most?: number };

function numberIn(value: string, whole: boolean): number | string {
  const form = whole ? /^-?\d{1,15}$/ : /^-?\d{1,15}(?:\.\d{1,15})?$/;
  return form.test(value) ? Number(value) : value;
}

function readNumber({ whole, least, most }: NumberKind, value: unknown, wrong: (reason: string) => void): unknown {
  const word = whole ? "a whole number" : "a number";
  if (typeof value !== "number" || !Number.isFinite(value) || (whole && !Number.isSafeInteger(value)))
    return wrong(`must be ${word}, and is ${valueText(value)}`);
  if (least !== undefined && value < least) return wrong(`must be at least ${grouped(least)}, and is ${value}`);
  return most !== undefined && value > most ? wrong(`must be at most ${grouped(most)}, and is ${value}`) : value;
}

function choiceOf(values: readonly (string | number | boolean)[]): string {
  const words = values.map((value) => (typeof value === "string" ? `“${value}”` : String(value)));
  return words.length === 1 ? (words[0] as string) : eitherOf(words);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Formats a value for an error: short texts and numbers as they are, others by their kind. */
function valueText(value: unknown): string {
  if (typeof value === "string" && value.length <= 40) return `“${value}”`;
  return typeof value === "number" ? String(value) : kindOf(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "text";
  return typeof value === "object" ? "an object" : typeof value === "boolean" ? String(value) : `a ${typeof value}`;
}

/** JSON Schema, as OpenAPI 3.1 and MCP take it. */
export type JsonSchema = { readonly [name: string]: unknown };

/**
 * Builds the JSON Schema of a field. Named schemas are added to `named` and referred to; without it they are written inline.
 * Inputs are closed (`isStrict`), so that unknown fields are refused; answers are open.
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
    ...defined({ description, example, default: usual }),
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
        ...defined({ minimum: kind.least, maximum: kind.most }),
      };
    case "flag":
      return { type: "boolean" };
    case "one-of":
      return { type: typeof kind.values[0], enum: kind.values };
    case "list":
      return {
        type: "array",
        items: schemaOf(kind.item, how),
        ...defined({ minItems: kind.least, maxItems: kind.most }),
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

/** Builds the schema of an object with these fields. */
export function objectSchema(fields: Fields, how: Partial<How> = {}): JsonSchema {
  const required = Object.entries(fields).filter(([, { more }]) => !more.isOptional && more.usual === undefined);
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field, how)])),
    ...(required.length === 0 ? {} : { required: required.map(([name]) => name) }),
    ...(how.isStrict && { additionalProperties: false }),
  };
}

/** Part of an answer that users see: the fields marked as told, and within objects again only those. */
export function toldPart(field: Field<unknown>, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { kind } = field;
  switch (kind.is) {
    case "list":
      return Array.isArray(value) ? value.map((item) => toldPart(kind.item, item)) : undefined;
    case "object": {
      const visibleFields = Object.entries(kind.fields).filter(
        ([name, { more }]) => more.isTold && Object.hasOwn(value, name),
      );
      return Object.fromEntries(
        visibleFields.map(([name, one]) => [name, toldPart(one, (value as Record<string, unknown>)[name])]),
      );
    }
    case "record":
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toldPart(kind.item, item)]));
    case "either":
      // The shape that knows all of the value's names is used; if none does, the fields that all shapes tell.
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
