import { z } from "@hono/zod-openapi";
import { notice } from "./agent.ts";
import { time } from "./name.ts";
import { more } from "./page.ts";

export const section = z
  .object({
    name: z.string().openapi({ example: "instructions" }),
    layer: z.string(),
    owner: z.string().nullable().openapi({ description: "Who is responsible for its layer.", example: "operator" }),
    heading: z.string().nullable().openapi({ example: "## User Instructions" }),
    mutability: z.enum(["fixed", "live", "amendable"]),
    amendableBy: z
      .array(z.enum(["agent", "user", "operator"]))
      .readonly()
      .openapi({ description: "Whose hand may." }),
    scope: z.enum(["agent", "user"]).openapi({ description: "Whose copy: the agent's, or each user's own." }),
    original: z.string().nullable().openapi({ description: "The words it was born with; what reset returns to." }),
    text: z.string().nullable().openapi({
      description: "The words that stand. Null where they are made afresh each turn, and where no user was named.",
    }),
    rendered: z.string().nullable().openapi({
      description: "As it stands in the next prompt, with its heading. Null where it does not stand there.",
    }),
    revision: z
      .int()
      .nullable()
      .openapi({ description: "How many amendments led here: what a proposal is made against." }),
    updatedAt: time.nullable().openapi({ description: "When it was last amended." }),
    updatedByTurn: z.string().nullable().openapi({ description: "The turn that amended it; null of a person's hand." }),
    digest: z
      .string()
      .nullable()
      .openapi({ description: "Of fixed words: their SHA-256, as charter.lock pins it. Null of all others." }),
    notices: z.array(notice).readonly(),
  })
  .openapi("Section");

export const sectionList = z.object({ sections: z.array(section).readonly(), more }).openapi("SectionList");
