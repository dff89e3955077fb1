import { z } from "@hono/zod-openapi";
import { notice } from "./agent.ts";
import { time } from "./name.ts";
import { wholeRequest } from "./turn.ts";

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
