import { colours } from "./colour.ts";

/** The line that ends a list which goes on. */
export function morePages(answer: unknown, input: Readonly<Record<string, unknown>>): string[] {
  const { more } = (answer ?? {}) as { readonly more?: unknown };
  const { limit, offset } = input;
  if (more !== true || typeof limit !== "number" || typeof offset !== "number") return [];
  return [colours(process.stdout).dim(`There is more: --offset ${offset + limit}`)];
}
