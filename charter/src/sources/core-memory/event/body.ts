import { grouped, Problem } from "../../../prompt/problem.ts";
import { isWhole } from "../../../prompt/sound.ts";
import { coreSlug, isSlug } from "../slug.ts";

/** What NIP-44 lets be encrypted. The library takes more: what it then makes, others cannot read. */
const largestBody = 65_535;

/** What stands in an event of a slug, decrypted. `text` is null where it says that the memory was deleted. */
type MemoryBody = { readonly slug: string; readonly text: string | null };

/** The JSON of a memory, as it is encrypted; or why it cannot be published. */
export function makeBody(slug: string, text: string | null): string | Problem {
  if (!isSlug(slug))
    return new Problem(
      "bad-slug",
      "A memory's name is neither “core” nor in the form of “mem/name”.",
      "Give lower-case letters, digits, “-” and “_”, with “/” between parts, 255 in all, as in mem/people/ada.",
    );
  if (slug === coreSlug && text === null)
    return badMemory(slug, "cannot be deleted", "Rewrite it; only memories under mem/ can be deleted.");
  if (text !== null && !isWhole(text))
    return badMemory(slug, "holds half a character or a NUL", "Fix the text where it comes from.");
  const body = JSON.stringify(slug === coreSlug ? { slug, profile: text } : { slug, value: text });
  const size = Buffer.byteLength(body);
  if (size <= largestBody) return body;
  return badMemory(
    slug,
    `would be ${grouped(size)} bytes as JSON; at most ${grouped(largestBody)} can be published`,
    "Shorten it.",
  );
}

function badMemory(slug: string, fault: string, hint: string): Problem {
  return new Problem("bad-memory", `The memory “${slug}” ${fault}.`, hint);
}

/**
 * Reads the JSON of a memory. `isAddressed` says whether the event is kept where its slug belongs: asked before
 * anything else of the body counts.
 */
export function readBody(
  json: string,
  isAddressed: (slug: string) => boolean,
): MemoryBody | { readonly fault: string } {
  if (Buffer.byteLength(json) > largestBody) return { fault: `it has more than ${grouped(largestBody)} bytes` };
  const parsed = parseStrict(json);
  if ("fault" in parsed) return parsed;
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { fault: "it is no object" };
  const body = value as { readonly slug?: unknown; readonly profile?: unknown; readonly value?: unknown };
  const slug = Object.hasOwn(body, "slug") ? body.slug : undefined;
  if (!isSlug(slug)) return { fault: "its slug is none" };
  if (!isAddressed(slug)) return { fault: "its slug belongs under another d tag" };
  const field = slug === coreSlug ? "profile" : "value";
  const text = Object.hasOwn(body, field) ? body[field] : undefined;
  if (typeof text === "string")
    return isWhole(text) ? { slug, text } : { fault: `its “${field}” holds a NUL, which cannot be kept` };
  if (text === null && slug !== coreSlug) return { slug, text };
  return { fault: `its “${field}” is no text` };
}

const deepest = 128;

/** The value of a JSON text, or what is wrong with it. */
type StrictJson = { readonly value: unknown } | { readonly fault: string };

/**
 * Reads JSON that every reader takes for the same: no name twice in an object, at any depth and however it is written,
 * and no half characters.
 */
export function parseStrict(text: string): StrictJson {
  if (!text.isWellFormed()) return { fault: "it holds half a character" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: "it is no JSON" };
  }
  const fault = faultIn(text);
  return fault === undefined ? { value } : { fault };
}

/** A string, with its colon where it is a name; or where an object or a list begins or ends. */
const token = /("[^"\\]*(?:\\.[^"\\]*)*")([ \t\n\r]*:)?|[[\]{}]/g;

/** Goes through JSON that is valid: then a string before a colon is a name of the innermost object that is open. */
function faultIn(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [mark, string, colon] of text.matchAll(token)) {
    if (string !== undefined) {
      const words = string.includes("\\") ? (JSON.parse(string) as string) : string.slice(1, -1);
      if (!words.isWellFormed()) return "it holds half a character";
      if (colon === undefined) continue;
      const names = open.at(-1) as Set<string>;
      if (names.has(words)) return "a name occurs twice in one object";
      names.add(words);
    } else if (mark === "{" || mark === "[") {
      if (open.push(new Set()) > deepest) return `it is nested more than ${deepest} deep`;
    } else open.pop();
  }
  return undefined;
}
