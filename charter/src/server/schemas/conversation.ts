import { z } from "@hono/zod-openapi";
import { usage } from "./lists/turn-query.ts";
import { scope, time } from "./name.ts";
import { more, total } from "./page.ts";

export const conversationList = z
  .object({
    conversations: z.array(z.object({ counterpart: z.string(), exchanges: z.int(), lastAt: time })).readonly(),
    more,
    total,
  })
  .openapi("ConversationList", { description: "The most recently active first; as `charter conversations --json`." });

const exchange = z
  .object({
    inbox_message_id: z.string(),
    sender_body: z.string(),
    agent_reply: z.string(),
    turn_id: z.string(),
    timestamp: time,
  })
  .openapi("Exchange", { description: "One message and its reply." });

export const conversation = z
  .object({ counterpart: z.string(), exchanges: z.array(exchange).readonly(), lastAt: time })
  .openapi("Conversation", { description: "The exchanges with one counterpart, oldest first." });

const sessionFacts = {
  id: z.string(),
  scope,
  receiver: z.string().openapi({ description: "The model it was last sent to." }),
  channel: z.string().nullable().openapi({ description: "The channel its turns come from; null: any." }),
  because: z.enum(["new", "idle"]).nullable().openapi({
    description: "Why it was opened although there was one before it: asked for, or the last was idle for too long.",
  }),
  startedAt: time,
  lastAt: time,
  endedAt: time.nullable(),
};

export const session = z.object(sessionFacts).openapi("Session", { description: "A conversation." });

export const sessionList = z
  .object({
    sessions: z
      .array(
        z.object({
          ...sessionFacts,
          turns: z.int(),
          told: z.int().openapi({ description: "How many replies of schedules were said in it." }),
          firstInput: z
            .string()
            .nullable()
            .openapi({ description: "What was first said in it, cut where it is long." }),
          failed: z.int().openapi({ description: "How many of its turns failed." }),
          cost: z.number().nullable().optional().openapi({
            description: "Of its turns with a price, in dollars; null where none has one. For operators.",
          }),
          usage: usage.optional().openapi({
            description: "Of all its turns, in tokens; null where the provider did not say. For operators.",
          }),
          models: z
            .array(z.string())
            .readonly()
            .optional()
            .openapi({ description: "The models its turns were answered by, by name. For operators." }),
        }),
      )
      .readonly(),
    more,
    total,
    single: z.int().openapi({
      description: "How many sessions of one turn only match besides, as those of schedules: they are not listed.",
    }),
  })
  .openapi("SessionList", { description: "In the order asked for; as `charter sessions --json`." });

export const newSession = z
  .strictObject({
    user: z.string().optional().openapi({ description: "The user; only for operators.", example: "bo" }),
    channel: z.string().optional().openapi({ description: "The channel; default: `web`." }),
  })
  .openapi("NewSession", { example: {} });

export const compactResult = z
  .object({ turn: z.string(), session: z.string(), before: z.int(), after: z.int() })
  .openapi("CompactResult", { description: "How many tokens of history became how many, and the turn on record." });
