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
