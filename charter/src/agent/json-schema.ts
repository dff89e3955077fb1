import { importPackage } from "../../bin/import-package.js";
import { Problem } from "../prompt/problem.ts";
import type { StandardSchema } from "./standard-schema.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** What the libraries we know have beside the standard. */
type VendorSchema = StandardSchema & {
  /** Every schema of zod 4. */
  readonly _zod?: object;
  /** arktype. */
  readonly in?: VendorSchema;
  readonly toJsonSchema?: () => JsonSchema;
};

/**
 * A schema as JSON Schema, by its library's own means: what the standard offers (zod from 4.2 on, arktype), else what is
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

/** The newest draft a library can write. What it said of the newest is the reason, where it can write none. */
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

/** Descriptions lie in a registry of the zod that made the schema, which before 4.1 is not ours. */
async function ofZod4(schema: StandardSchema): Promise<JsonSchema> {
  const { toJSONSchema, globalRegistry } = await import("zod");
  const own = (one: object) => (one as { meta?: () => object | undefined }).meta?.();
  const metadata = {
    get: (one: never) => globalRegistry.get(one) ?? own(one),
    has: (one: never) => globalRegistry.has(one) || own(one) !== undefined,
  };
  return toJSONSchema(schema as never, { io: "input", metadata: metadata as never });
}

/** What is used twice is written twice, since not every provider follows a reference; a circle needs one. */
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

/** What JSON Schema has no word for in a check is left to the check, as with the other libraries. */
async function ofValibot(schema: StandardSchema): Promise<JsonSchema> {
  const { toJsonSchema } = await valibotConverter();
  return toJsonSchema(schema, {
    typeMode: "input",
    overrideAction: ({ jsonSchema, errors }) => (errors ? jsonSchema : undefined),
  });
}

/**
 * A package of valibot's own, which the project that uses valibot has installed: beside us, beside the program, or beside
 * a user's file that runs already. Never where it was started: that folder may be a stranger's.
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
