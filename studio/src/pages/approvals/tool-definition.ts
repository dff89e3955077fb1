import { plainJson } from "../../kit/text/plain-json.ts";

/** What a server says of a tool, on lines, with nothing in it that hides. Of one that was never offered: nothing. */
export function definitionText(definition: string | null): string {
  if (definition === null) return "";
  const { description, ...rest } = JSON.parse(definition) as Readonly<Record<string, unknown>>;
  return plainJson(typeof description === "string" ? { description: description.split("\n"), ...rest } : rest);
}
