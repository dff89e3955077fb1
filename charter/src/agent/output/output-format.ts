import { isRecord } from "../../prompt/argument.ts";
import { grouped, Problem, reasonOf } from "../../prompt/problem.ts";
import { jsonSchemaOf } from "../json-schema.ts";
import { isStandardSchema, type SchemaIssue, type SchemaOutput, type StandardSchema } from "../standard-schema.ts";
import { checkableSchema } from "./checkable-schema.ts";

/** What the final answer of a turn must be: a schema of zod, valibot, arktype or another library, or a JSON Schema. */
export type OutputSchema = StandardSchema | Readonly<Record<string, unknown>>;

/** The type of an answer that fits a schema; of a JSON Schema it is not known. */
export type OutputOf<Schema extends OutputSchema> = Schema extends StandardSchema ? SchemaOutput<Schema> : unknown;

/** The same, ready for a turn: what the model is shown, and what reads its answer. */
export type OutputFormat = {
  readonly request: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
  readonly read: (text: string) => Promise<ReadOutput>;
};

/** The value of an answer; or what is wrong with it, each in words that begin with the field. */
type ReadOutput = { readonly value: unknown; readonly wrong?: undefined } | { readonly wrong: readonly string[] };

/** The longest schema of an answer, as JSON in UTF-8. */
const mostBytes = 16_384;

/** Makes a turn's format of what was given; throws a Problem where it is no schema. */
export async function outputFormat(given: OutputSchema | undefined): Promise<OutputFormat | undefined> {
  if (given === undefined) return undefined;
  const json = await attempt(() => (isStandardSchema(given) ? jsonSchemaOf(given) : given));
  if (!isRecord(json)) throw badSchema("is no schema");
  const { $schema: _, ...plain } = json;
  const written = (await attempt(() => JSON.stringify(plain))) as string;
  const bytes = Buffer.byteLength(written);
  if (bytes > mostBytes) throw badSchema(`has ${grouped(bytes)} bytes; the limit is ${grouped(mostBytes)}`);
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

/** JSON, as it is or in a code fence. */
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
