import { z } from "@hono/zod-openapi";

/** A whole number in a query, where everything is text. */
function count(about: {
  readonly least: number;
  readonly most: number;
  readonly usual: number;
  readonly says: string;
}) {
  const { least, most, usual, says } = about;
  return z
    .string()
    .regex(/^\d{1,15}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(least).max(most))
    .optional()
    .transform((value) => value ?? usual)
    .openapi({
      type: "integer",
      param: { required: false },
      minimum: least,
      maximum: most,
      default: usual,
      description: says,
    });
}

export function limit(max: number, initial: number) {
  return count({ least: 1, most: max, usual: initial, says: "How many rows." });
}

/** Which stretch of a long list. */
export const page = {
  limit: limit(1000, 50),
  offset: count({ least: 0, most: Number.MAX_SAFE_INTEGER, usual: 0, says: "How many rows to pass over." }),
};

/** A whole number in a query that may be left out. */
function number(description: string) {
  return z
    .string()
    .regex(/^\d{1,15}$/, "must be a whole number")
    .transform(Number)
    .optional()
    .openapi({ type: "integer", param: { required: false }, description });
}

export const revisionBefore = number("Only what came before this revision.");
export const tokenLimit = number("The limit in tokens; default: what the charter says.");

/** Whether there is more after this page. */
export const more = z.boolean().openapi({ description: "Whether the list goes on after these rows." });

export const total = z.int().openapi({ description: "How many rows there are in all, on every page together." });
