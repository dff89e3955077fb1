import type { LoopbackRequest } from "./loopback-model.ts";

/**
 * Where a word stood in what a model was asked: with the instructions, in a user's message, in another place of a
 * request (a tool, say), or in none of them.
 */
export type CanaryPlace = "system" | "user" | "elsewhere" | "nowhere";

type Part = { readonly role?: unknown };

/** The best place a word has in any of the requests. */
export function findCanary(word: string, requests: readonly LoopbackRequest[]): CanaryPlace {
  const places = requests.map((request) => placeIn(word, request));
  return (["system", "user", "elsewhere"] as const).find((place) => places.includes(place)) ?? "nowhere";
}

function placeIn(word: string, { api, body }: LoopbackRequest): CanaryPlace {
  const has = (part: unknown) => part !== undefined && JSON.stringify(part).includes(word);
  const asked = Object(body) as Readonly<Record<string, unknown>>;
  const { instructions, messages } = {
    anthropic: { instructions: asked.system, messages: asked.messages },
    "openai-responses": { instructions: asked.instructions, messages: asked.input },
    "openai-chat": { instructions: undefined, messages: asked.messages },
    gemini: { instructions: asked.systemInstruction ?? asked.system_instruction, messages: asked.contents },
  }[api];
  const parts: readonly Part[] = Array.isArray(messages) ? messages.map(Object) : [];
  const ofRole = (...roles: readonly unknown[]) => parts.filter(({ role }) => roles.includes(role));
  if (has(instructions) || has(ofRole("system", "developer"))) return "system";
  if ((typeof messages === "string" && has(messages)) || has(ofRole("user"))) return "user";
  return has(body) ? "elsewhere" : "nowhere";
}
