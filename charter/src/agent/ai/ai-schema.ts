import { reasonOf } from "../../prompt/problem.ts";
import { isStandardSchema, type SchemaIssue, type StandardSchema } from "../standard-schema.ts";

/** What `jsonSchema()` and `zodSchema()` of the AI SDK make. */
type AiSchema = {
  readonly jsonSchema: object | PromiseLike<object>;
  readonly validate?: (value: unknown) => Validation | PromiseLike<Validation>;
};
type Validation = { readonly success: boolean; readonly value?: unknown; readonly error?: unknown };

/** A schema as the AI SDK takes one, as a Standard Schema: it may be one, one of its own, or a function that gives one. */
export function standardOf(given: object): StandardSchema {
  if (isStandardSchema(given)) return given;
  const schema: unknown = typeof given === "function" ? given() : given;
  if (isStandardSchema(schema)) return schema;
  if (typeof schema !== "object" || schema === null || !("jsonSchema" in schema)) return schema as StandardSchema;
  const own = schema as AiSchema;
  return {
    "~standard": {
      version: 1,
      vendor: "ai",
      validate: async (value) => (own.validate ? validated(own.validate, value) : fitting(await own.jsonSchema, value)),
      jsonSchema: { input: () => own.jsonSchema as Record<string, unknown> },
    },
  };
}

async function validated(validate: NonNullable<AiSchema["validate"]>, value: unknown) {
  const { success, value: made, error } = await validate(value);
  return success ? { value: made } : { issues: issuesOf(error) };
}

/** Errors of zod and its like name the places; of others there is only a message. */
function issuesOf(error: unknown): readonly SchemaIssue[] {
  const { issues, cause } = Object(error) as { readonly issues?: unknown; readonly cause?: unknown };
  if (Array.isArray(issues) && issues.length > 0) return issues as SchemaIssue[];
  return cause === undefined ? [{ message: reasonOf(error) }] : issuesOf(cause);
}

const readable = new WeakMap<object, Promise<StandardSchema | undefined>>();

/** A bare JSON Schema is heeded as far as it can be read; the value goes on as it was written. */
async function fitting(jsonSchema: object, value: unknown) {
  const reading = readable.get(jsonSchema) ?? readSchema(jsonSchema);
  readable.set(jsonSchema, reading);
  const { issues } = (await (await reading)?.["~standard"].validate(value)) ?? {};
  return issues ? { issues } : { value };
}

async function readSchema(jsonSchema: object): Promise<StandardSchema | undefined> {
  // A pattern with \p{…} would be read without the flag it needs, and match nothing.
  if (/\\[pPu]\{/.test(JSON.stringify(jsonSchema))) return undefined;
  const { fromJSONSchema } = await import("zod");
  try {
    return fromJSONSchema(jsonSchema as never);
  } catch {
    // The AI SDK does not check a bare JSON Schema at all.
    return undefined;
  }
}
