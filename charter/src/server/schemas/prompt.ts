import { z } from "@hono/zod-openapi";
import { notice } from "./agent.ts";
import { time } from "./name.ts";
import { wholeRequest } from "./turn.ts";

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
    description: "A section's place in the text; offsets are JavaScript string indices.",
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
  .openapi("Cut", { description: "What was trimmed from a section to fit." });

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

const sentSection = z.object({
  name: z.string(),
  layer: z.string(),
  mutability: z.enum(["fixed", "live", "amendable"]),
  stability: z.enum(["stable", "event", "state"]),
  trust: z.enum(["own", "user", "foreign"]),
  source: z.string(),
  revision: z.int().nullable(),
  tokens: z.number(),
  text: z.string(),
});

const prefixChange = z
  .object({
    how: z.enum(["opened", "kept", "updated", "folded"]),
    sections: z.array(z.string()).readonly().optional(),
    reason: z.string().optional(),
  })
  .openapi({
    description:
      "What happens to the cached prefix: `opened` with this request, `kept`, `updated` (changes are sent as messages) or `folded` (rebuilt, with the reason).",
  });

export const nextRequest = z
  .object({
    agent: z.string(),
    user: z.string().nullable(),
    channel: z.string().nullable(),
    session: z
      .object({ id: z.string(), channel: z.string().nullable(), startedAt: time, lastAt: time })
      .nullable()
      .openapi({ description: "The conversation the next turn belongs to; null: it opens a new one." }),
    model: z.string(),
    cacheMin: z
      .number()
      .nullable()
      .openapi({ description: "A shorter prefix is not cached, tools included; null: none is." }),
    prefixChange,
    request: wholeRequest,
    input: z.int().openapi({ description: "Which of the messages is the user's, from 0. It is empty here." }),
    parts: z
      .array(
        z.object({
          slot: z.enum(["system", "update", "state"]),
          message: z.int().nullable().openapi({ description: "Which of the messages it is, if it is one." }),
          sections: z.array(sentSection).readonly(),
        }),
      )
      .readonly()
      .openapi({ description: "The sections in the request: the prefix, the updates, the dynamic state." }),
    tokens: z.object({
      total: z.number().openapi({ description: "All of the request, without the user's message." }),
      tools: z.number(),
      prefix: z.number(),
      history: z.number().openapi({ description: "Messages and updates." }),
      state: z.number(),
      tokenizer: z.string(),
      exact: z.boolean(),
    }),
    predicted: z
      .object({ read: z.number(), written: z.number(), fresh: z.number() })
      .openapi({ description: "The same tokens, by how they will probably be billed." }),
    notices: z.array(notice).readonly(),
  })
  .openapi("NextRequest", {
    description: "The first request of the next turn, as it would be sent now, without the user's message.",
  });
