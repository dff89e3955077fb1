import type { LoopbackApi } from "./loopback-answer.ts";

type Fields = Readonly<Record<string, unknown>>;

const words = "Understood.";
const maxDepth = 20;

/** What the loopback model says: a word, or the least that fits the JSON Schema that was asked for. */
export function loopbackText(api: LoopbackApi, body: unknown): string {
  const schema = schemaIn(api, fieldsOf(body));
  return schema === undefined ? words : JSON.stringify(leastOf(schema, 0));
}

/** Where each API has the schema of an answer; one that asks for JSON without any gets an object. */
function schemaIn(api: LoopbackApi, body: Fields): unknown {
  if (api === "anthropic") return fieldsOf(body.output_format ?? fieldsOf(body.output_config).format).schema;
  if (api === "openai-responses") return fieldsOf(fieldsOf(body.text).format).schema;
  if (api === "openai-chat") return fieldsOf(fieldsOf(body.response_format).json_schema).schema;
  const config = fieldsOf(body.generationConfig);
  if (config.responseMimeType !== "application/json") return undefined;
  return config.responseJsonSchema ?? config.responseSchema ?? { type: "object" };
}

function leastOf(schema: unknown, depth: number): unknown {
  const { type, enum: values, properties, required, items, minItems } = fieldsOf(schema);
  if (Array.isArray(values)) return values[0];
  const kind = String(Array.isArray(type) ? type[0] : (type ?? "object")).toLowerCase();
  if (kind === "string") return words;
  if (kind === "integer" || kind === "number") return 1;
  if (kind === "boolean") return false;
  if (kind === "null" || depth > maxDepth) return null;
  if (kind === "array") return minItems === undefined ? [] : [leastOf(items, depth + 1)];
  const names = Array.isArray(required) ? required.map(String) : [];
  return Object.fromEntries(names.map((name) => [name, leastOf(fieldsOf(properties)[name], depth + 1)]));
}

function fieldsOf(value: unknown): Fields {
  return Object(value) as Fields;
}
