import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { isRecord } from "../../prompt/argument.ts";
import type { ModelRequest } from "../model.ts";
import { errorWords } from "./error-words.ts";
import type { LanguageModel } from "./language-model.ts";

type Output = NonNullable<ModelRequest["output"]>;

/**
 * Whether a model has a field for what the answer must be. Gemini before 3 has none beside tools: its package would offer
 * one more tool and force a call of it.
 */
export function hasFormatField(
  { provider, modelId }: Pick<LanguageModel, "provider" | "modelId">,
  request: ModelRequest,
) {
  if (!provider.startsWith("google.")) return true;
  return request.tools.length === 0 || /gemini-(?:[3-9]|\d\d)/.test(modelId);
}

/** What the answer must be, as the AI SDK's providers take it. */
export function responseFormat({ name, schema }: Output): Required<Pick<LanguageModelV4CallOptions, "responseFormat">> {
  type Format = Extract<NonNullable<LanguageModelV4CallOptions["responseFormat"]>, { type: "json" }>;
  return { responseFormat: { type: "json", name, schema: schema as NonNullable<Format["schema"]> } };
}

/**
 * What goes with it. Never as a tool: tools stand first in a request, and another list of them is another prefix. OpenAI
 * holds a model to a schema strictly only where all of each object's fields are required and no others may be there.
 */
export function formatOptions(provider: string, { schema }: Output): SharedV4ProviderOptions {
  if (/(^|\.)anthropic\.messages$/.test(provider)) return { anthropic: { structuredOutputMode: "outputFormat" } };
  if (isStrict(schema)) return {};
  return { [provider.startsWith("openai.") ? "openai" : "openaiCompatible"]: { strictJsonSchema: false } };
}

function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isRecord(schema)) return true;
  const { properties, required, additionalProperties, type } = schema;
  const isObject = type === "object" || properties !== undefined;
  const names = Object.keys(isRecord(properties) ? properties : {});
  const all = names.every((name) => Array.isArray(required) && required.includes(name));
  if (isObject && !(all && additionalProperties === false)) return false;
  return Object.values(schema).every(isStrict);
}

/** How providers and servers say that they do not take a format, or not this schema of it, as of November 2026. */
const refusals: readonly RegExp[] = [
  /response[_ .]?format|output[_ ]?(?:format|config)|structured output/i,
  /json[_ ]?schema|response[_ ]?(?:json)?[_ ]?schema|response mime type/i,
  /\bgrammar\b|guided[_ ](?:json|decoding)/i,
];

/** Was it refused for its format? */
export function refusesFormat(error: unknown): boolean {
  const { statusCode = 0, responseBody, message } = Object(error) as Record<string, unknown> & { statusCode?: number };
  if (![400, 404, 405, 415, 422, 500, 501].includes(statusCode)) return false;
  const { texts } = errorWords(responseBody);
  return [...texts, String(message)].some((text) => refusals.some((words) => words.test(text)));
}
