import { listed } from "../../prompt/problem.ts";
import { empty, fromText, type Reading, unavailable } from "../../prompt/reading.ts";

/** `{ name, vibe, description }` as the identity line; nothing when all of it is blank. */
export function identityReading(standing: string): Reading {
  const fault = identityFault(standing);
  if (fault !== undefined) return unavailable(`it ${fault}`);
  const { name, description, vibe } = parseIdentity(standing);
  if (!name && !description && !vibe) return empty;
  const line = `You are ${name || "an AI assistant"} — ${description || "a personal assistant"}.`;
  return fromText(vibe ? `${line}\n${vibe}` : line);
}

/** Who an assistant is: `You are <name> — <description>.`, and a line about how it is. */
export type Identity = { readonly name?: string; readonly vibe?: string; readonly description?: string };
export const identityKeys = ["name", "vibe", "description"];

function parseIdentity(standing: string): Identity {
  if (standing.trim() === "" || standing.trim() === "null") return {};
  const value = JSON.parse(standing) as Record<string, unknown>;
  return Object.fromEntries(identityKeys.map((key) => [key, typeof value[key] === "string" ? value[key].trim() : ""]));
}

/** What is wrong with a standing identity: it is amended by a rewrite with `{ name, vibe, description }` as JSON. */
export function identityFault(standing: string): string | undefined {
  if (standing.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(standing);
  } catch {
    return "must be JSON: { name, vibe, description }.";
  }
  if (value === null) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) return "must be a JSON object: { name, vibe, description }.";
  const unknown = Object.keys(value).filter((key) => !identityKeys.includes(key));
  if (unknown.length > 0) return `has no ${listed(unknown)}: only name, vibe and description.`;
  const wrong = Object.entries(value).filter(([, words]) => words !== null && typeof words !== "string");
  return wrong.length > 0 ? `must have text in ${listed(wrong.map(([key]) => key))}.` : undefined;
}
