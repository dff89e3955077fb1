import { z } from "@hono/zod-openapi";
import { notice } from "./agent.ts";

const sectionSpan = z
  .object({
    name: z.string(),
    layer: z.string(),
    mutability: z.enum(["fixed", "live", "amendable"]),
    stability: z.enum(["stable", "event", "state"]),
    trust: z.enum(["own", "user", "foreign"]),
    start: z.int(),
    end: z.int(),
    tokens: z.number(),
    source: z.string(),
    revision: z.int().nullable(),
  })
  .openapi("SectionSpan", {
    description: "A section as it stands in the text; offsets are JavaScript string indices.",
  });

const cut = z
  .object({
    section: z.string(),
    form: z.enum(["shorter", "shortened", "compact", "dropped"]),
    kept: z.number(),
    missing: z.number(),
    unit: z.string(),
    because: z.string(),
  })
  .openapi("Cut", { description: "What a section gave up to fit." });

const omission = z.object({
  name: z.string(),
  reason: z.enum(["empty", "unavailable", "gave-way", "not-in-edition"]),
});

export const prompt = z
  .object({
    text: z.string(),
    digest: z.string().openapi({ description: "SHA-256 of the text's UTF-8 bytes." }),
    edition: z.enum(["full", "compact"]),
    tokens: z.object({ total: z.number(), tokenizer: z.string(), exact: z.boolean() }),
    sections: z.array(sectionSpan).readonly(),
    cuts: z.array(cut).readonly(),
    omitted: z.array(omission).readonly(),
    notices: z.array(notice).readonly(),
  })
  .openapi("Prompt", { description: "A system prompt as the next turn would have it; as `charter show --json`." });
