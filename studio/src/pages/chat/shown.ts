import { plainJson } from "../../kit/text/plain-json.ts";

/** Whatever a tool was given or gave back, as words. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : plainJson(value);
}

/** The same on one line, briefly. */
export function glimpse(value: unknown, max = 80): string {
  const words = (typeof value === "string" ? value : bare(value)).replace(/\s+/g, " ").trim();
  const letters = [...words.slice(0, 2 * max)];
  return letters.length > max || words.length > 2 * max ? `${letters.slice(0, max - 1).join("")}…` : words;
}

/** The words in a simple object, without the signs around them. */
function bare(value: unknown): string {
  if (typeof value !== "object" || value === null) return value === undefined ? "" : String(value);
  const values = Object.values(value);
  return values.every((one) => typeof one !== "object" || one === null) ? values.join(" · ") : JSON.stringify(value);
}
