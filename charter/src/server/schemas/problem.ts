import { z } from "@hono/zod-openapi";

const refusal = z
  .object({
    guard: z.string().openapi({ example: "size-limit" }),
    because: z.string().openapi({ example: "“instructions” would have 70,000 bytes; the limit is 65,536." }),
    places: z
      .array(z.object({ at: z.int(), end: z.int(), line: z.int() }))
      .readonly()
      .optional()
      .openapi({
        description: "Where in the proposed text: JavaScript string indices, and the line, from 1.",
        example: [{ at: 9, end: 41, line: 2 }],
      }),
    holds: z.literal(true).optional().openapi({ description: "It asks for approval instead of refusing." }),
  })
  .openapi("Refusal", { description: "Why one guard refuses a change." });

export const refusals = z.array(refusal).readonly();

const said = {
  code: z.string().openapi({ description: "One word, the same everywhere; docs/problems.md explains it." }),
  message: z.string().openapi({ description: "What happened, with the real names." }),
  hint: z.string().openapi({ description: "What to do about it." }),
};

/** The one shape of every error. */
export const problem = z.object({ error: z.looseObject(said) }).openapi("Problem", {
  description: "The one shape of every error.",
  example: {
    error: {
      code: "not-found",
      message: "There is no note “x” here.",
      hint: "Check the address, and that your token has access.",
    },
  },
});

const text = { text: z.string(), revision: z.int().min(0) };
const standing = z.object(text).openapi({ description: "The section's current text." });
const proposed = z.object(text).openapi({ description: "The proposed text, and the revision it was made against." });

/** A proposal that was not taken: nothing changed, and every reason is named at once. */
export const refusedProposal = z
  .object({
    error: z.object({
      ...said,
      refusals,
      standing,
      proposed: proposed.nullable().openapi({ description: "The proposed text, if it is known." }),
      held: z.string().optional().openapi({ description: "What is still waiting under this id." }),
      repeated: z.literal(true).optional(),
    }),
  })
  .openapi("RefusedProposal", { description: "The change was refused; every refusal is listed." });

/** The words it was made against are not those that stand: both are here, so that whoever proposed can choose. */
export const staleProposal = z
  .object({
    error: z.object({
      ...said,
      refusals,
      standing,
      proposed: proposed.nullable().openapi({ description: "The proposed text, if it is known." }),
      held: z.string().optional(),
    }),
  })
  .openapi("StaleProposal", {
    description: "The section has changed since: its current text, and the proposed one.",
  });
