import { z } from "@hono/zod-openapi";
import { time } from "./name.ts";
import { more } from "./page.ts";

export const conversationList = z
  .object({
    conversations: z.array(z.object({ counterpart: z.string(), exchanges: z.int(), lastAt: time })).readonly(),
    more,
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
