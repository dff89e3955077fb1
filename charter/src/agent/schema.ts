import { importPackage } from "../../bin/import-package.js";
import { isRecord } from "../prompt/argument.ts";
import { grouped, Problem, reasonOf } from "../prompt/problem.ts";

/**
 * A schema of any library that follows https://standardschema.dev: zod from 3.25 on, valibot, arktype and others. It
 * says what a value must be, and makes of it what a tool is given. Our own copy of that interface: no library is needed
 * to compile it.
 */
export type StandardSchema<Input = unknown, Output = Input> = {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => ValidateResult<Output> | Promise<ValidateResult<Output>>;
    /** Exists only for the compiler: the field is empty while a program runs. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** The library's own conversion to JSON Schema; not every library has one. */
    readonly jsonSchema?: JsonSchemaConverter | undefined;
  };
};

type ValidateResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** An objection to a value, and where in the value it applies. */
export type SchemaIssue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};

type JsonSchemaConverter = {
  readonly input: (options: {
    readonly target: JsonSchemaTarget;
  }) => Record<string, unknown> | Promise<Record<string, unknown>>;
};
type JsonSchemaTarget = "draft-2020-12" | "draft-07";

/** The type of the values a schema accepts. */
export type SchemaInput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["input"];

/** The type of what a schema returns for a valid value. */
export type SchemaOutput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

export function isStandardSchema(given: unknown): given is StandardSchema {
  const isHolder = (typeof given === "object" && given !== null) || typeof given === "function";
  return isHolder && typeof (given as Partial<StandardSchema>)["~standard"]?.validate === "function";
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** Members of the known libraries beside the standard's. */
type VendorSchema = StandardSchema & {
  /** Every schema of zod 4. */
  readonly _zod?: object;
  /** arktype. */
  readonly in?: VendorSchema;
  readonly toJsonSchema?: () => JsonSchema;
};

/**
 * Converts a schema to JSON Schema, by its library's own means: what the standard offers (zod from 4.2 on, arktype), else what is
 * known of the library. Throws a Problem where there are none.
 */
export async function jsonSchemaOf(schema: StandardSchema): Promise<JsonSchema> {
  const { vendor, jsonSchema } = schema["~standard"];
  if (jsonSchema !== undefined) return standardOf(jsonSchema);
  const own = schema as VendorSchema;
  if (vendor === "zod") return own._zod === undefined ? ofZod3(schema) : ofZod4(schema);
  if (vendor === "valibot") return ofValibot(schema);
  const input = own.in ?? own;
  if (vendor === "arktype" && typeof input.toJsonSchema === "function") return input.toJsonSchema();
  throw new Problem(
    "bad-tool",
    `How a schema of “${vendor}” is written as JSON Schema is not known.`,
    "Give the tool a `schema`: the JSON Schema of its input.",
  );
}

/** Converts to the newest draft the library can write. Where it can write none, its error about the newest is thrown. */
async function standardOf({ input }: NonNullable<StandardSchema["~standard"]["jsonSchema"]>): Promise<JsonSchema> {
  try {
    return await input({ target: "draft-2020-12" });
  } catch (error) {
    try {
      return await input({ target: "draft-07" });
    } catch {
      throw error;
    }
  }
}

/** Converts a schema of zod 4. Descriptions are in a registry of the zod that made the schema, which before 4.1 is not ours. */
async function ofZod4(schema: StandardSchema): Promise<JsonSchema> {
  const { toJSONSchema, globalRegistry } = await import("zod");
  const own = (one: object) => (one as { meta?: () => object | undefined }).meta?.();
  const metadata = {
    get: (one: never) => globalRegistry.get(one) ?? own(one),
    has: (one: never) => globalRegistry.has(one) || own(one) !== undefined,
  };
  return toJSONSchema(schema as never, { io: "input", metadata: metadata as never });
}

/**
 * Converts a schema of zod 3. A part that is used twice is written twice, since not every provider follows a reference; only a
 * circle needs one.
 */
async function ofZod3(schema: StandardSchema): Promise<JsonSchema> {
  const { zodToJsonSchema } = await import("zod-to-json-schema");
  const written = ($refStrategy: "root" | "none") =>
    zodToJsonSchema(schema as never, { pipeStrategy: "input", $refStrategy }) as JsonSchema;
  const referring = written("root");
  return holdsCircle(referring, "#") ? referring : written("none");
}

function holdsCircle(value: unknown, place: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inside]) =>
    key === "$ref" ? `${place}/`.startsWith(`${inside}/`) : holdsCircle(inside, `${place}/${key}`),
  );
}

type ValibotConverter = { toJsonSchema: (schema: object, options: ValibotOptions) => JsonSchema };
type ValibotOptions = {
  readonly typeMode: "input";
  readonly overrideAction: (about: { readonly jsonSchema: object; readonly errors?: unknown }) => object | undefined;
};

/** Converts a schema of valibot. A check that JSON Schema cannot express is left to validation, as with the other libraries. */
async function ofValibot(schema: StandardSchema): Promise<JsonSchema> {
  const { toJsonSchema } = await valibotConverter();
  return toJsonSchema(schema, {
    typeMode: "input",
    overrideAction: ({ jsonSchema, errors }) => (errors ? jsonSchema : undefined),
  });
}

/**
 * Loads a package of valibot's own, which the project that uses valibot has installed: beside us, beside the program, or beside a
 * user's file that runs already. It is never loaded from the current directory: that folder may be a stranger's.
 */
async function valibotConverter(): Promise<ValibotConverter> {
  const name = "@valibot/to-json-schema";
  try {
    return (await importPackage(name)) as ValibotConverter;
  } catch {
    const path = await besideProgram(name);
    if (path !== undefined) return (await importPackage(path)) as ValibotConverter;
    throw new Problem(
      "bad-tool",
      `Its schema is valibot's, and ${name} is not installed.`,
      `Run \`npm install ${name}\`, or give the tool a \`schema\`: the JSON Schema of its input.`,
    );
  }
}

async function besideProgram(name: string): Promise<string | undefined> {
  const { createRequire } = await import("node:module");
  const { pathToFileURL } = await import("node:url");
  const { usedFiles } = await import("../../bin/resolve.js");
  const program = process.argv[1] === undefined ? [] : [pathToFileURL(process.argv[1]).href];
  for (const file of [...program, ...usedFiles()]) {
    try {
      return pathToFileURL(createRequire(file).resolve(name)).href;
    } catch {}
  }
  return undefined;
}

/** The form of a turn's final answer: a schema of zod, valibot, arktype or another library, or a JSON Schema. */
export type OutputSchema = StandardSchema | Readonly<Record<string, unknown>>;

/** The type of an answer that fits a schema; unknown for a JSON Schema. */
export type OutputOf<Schema extends OutputSchema> = Schema extends StandardSchema ? SchemaOutput<Schema> : unknown;

/** An output schema ready for a turn: the request's part for the model, and the function that reads its answer. */
export type OutputFormat = {
  readonly request: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
  readonly read: (text: string) => Promise<ReadOutput>;
};

/** The value of an answer; or what is wrong with it, each in words that begin with the field. */
type ReadOutput = { readonly value: unknown; readonly wrong?: undefined } | { readonly wrong: readonly string[] };

/** Maximum size of an answer's schema, in bytes as JSON in UTF-8. */
const maxSchemaBytes = 16_384;

/** Makes a turn's output format from a schema; throws a Problem where it is none. */
export async function outputFormat(given: OutputSchema | undefined): Promise<OutputFormat | undefined> {
  if (given === undefined) return undefined;
  const json = await attempt(() => (isStandardSchema(given) ? jsonSchemaOf(given) : given));
  if (!isRecord(json)) throw badSchema("is no schema");
  const { $schema: _, ...plain } = json;
  const written = (await attempt(() => JSON.stringify(plain))) as string;
  const bytes = Buffer.byteLength(written);
  if (bytes > maxSchemaBytes) throw badSchema(`has ${grouped(bytes)} bytes; the limit is ${grouped(maxSchemaBytes)}`);
  const schema = JSON.parse(written) as Readonly<Record<string, unknown>>;
  const checks = isStandardSchema(given) ? given : await attempt(() => schemaFrom(schema));
  return { request: { name: "answer", schema }, read: (text) => readOutput(text, checks) };
}

async function schemaFrom(schema: Readonly<Record<string, unknown>>): Promise<StandardSchema> {
  const { fromJSONSchema } = await import("zod");
  return fromJSONSchema(checkableSchema(schema) as never) as unknown as StandardSchema;
}

async function readOutput(text: string, schema: StandardSchema): Promise<ReadOutput> {
  const value = jsonIn(text);
  if (value === undefined) return { wrong: ["the whole: it is no JSON"] };
  const result = await schema["~standard"].validate(value.json);
  return result.issues ? { wrong: result.issues.slice(0, 8).map(wordsOf) } : { value: result.value };
}

/** Parses JSON, as it is or in a code fence. */
function jsonIn(text: string): { readonly json: unknown } | undefined {
  const [, fenced] = /^\s*```(?:json)?[^\S\n]*\n([\s\S]*?)\n?```\s*$/i.exec(text) ?? [];
  try {
    return { json: JSON.parse(fenced ?? text) };
  } catch {
    return undefined;
  }
}

function wordsOf({ message, path = [] }: SchemaIssue): string {
  const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
  return `${keys.join(".") || "the whole"}: ${message}`.slice(0, 300);
}

async function attempt<Value>(make: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await make();
  } catch (error) {
    throw badSchema(`cannot be used (${reasonOf(error).split("\n")[0]})`);
  }
}

function badSchema(why: string): Problem {
  return new Problem(
    "bad-output-schema",
    `The \`output\` of a turn ${why}.`,
    "Give a schema of zod, valibot or arktype, or a JSON Schema: docs/agent.md.",
  );
}

/** Keywords whose value is data, not a schema. */
const data = new Set(["const", "enum", "default", "examples", "required"]);

/** Keywords whose value holds schemas under names of the author's choice. */
const byName = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);

/** Keywords that may take for ever to check, or are not checked at all. */
const refused = new Set(["$ref", "$dynamicRef", "$recursiveRef", "patternProperties", "propertyNames"]);

/**
 * Makes a stranger's JSON Schema safe to check. Patterns are left to the model: one of them can hold a process for years.
 * References are refused: a few lines of them make a schema without end.
 */
function checkableSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(checkableSchema);
  if (!isRecord(schema)) return schema;
  const kept = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (refused.has(key)) throw new Error(`it has “${key}”: write it out without`);
    if (key === "pattern") return [];
    if (data.has(key)) return [[key, value]];
    if (!byName.has(key) || !isRecord(value)) return [[key, checkableSchema(value)]];
    return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, checkableSchema(one)]))]];
  });
  return Object.fromEntries(kept);
}
