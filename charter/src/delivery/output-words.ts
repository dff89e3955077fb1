import type { ModelRequest } from "./model.ts";

/**
 * A request whose receiver has no field for what the answer must be: the schema stands in words behind all else, where
 * it disturbs no prefix that is in a cache.
 */
export function withOutputWords({ output, ...request }: ModelRequest): ModelRequest {
  if (output === undefined) return request;
  return { ...request, messages: [...request.messages, { role: "user", text: outputWords(output.schema) }] };
}

function outputWords(schema: Readonly<Record<string, unknown>>): string {
  return `[What the final answer must be]\nCall tools as you need. The final answer is JSON alone, with no word before or after it, and fits this JSON Schema:\n${JSON.stringify(schema)}`;
}
