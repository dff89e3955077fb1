import { z } from "@hono/zod-openapi";
import { attachment } from "../message.ts";
import { scope, time } from "../name.ts";
import { more, total } from "../page.ts";
import { turnEvent, turnState, usage } from "./turn-query.ts";

const facts = {
  id: z.string(),
  scope,
  session: z.string().nullable(),
  channel: z.string().nullable(),
  input: z.string(),
  attachments: z
    .array(attachment)
    .readonly()
    .optional()
    .openapi({ description: "What came with it, if anything did." }),
  reply: z.string().nullable(),
  state: turnState,
  tainted: z.boolean(),
  startedAt: time,
  endedAt: time.nullable(),
  steps: z.int(),
  told: z.object({ session: z.string(), at: time, schedule: z.string() }).optional().openapi({
    description: "Of a schedule's turn: in which session its reply was said, when, and the schedule's title.",
  }),
  micros: z.int().nullable().openapi({ description: "What it cost so far, in millionths of a dollar." }),
  runner: z.string().nullable().optional().openapi({ description: "Which process runs it; for operators." }),
  leasedUntil: time.nullable().optional(),
  model: z.string().nullable().optional().openapi({
    description: "The model that was asked last; null where none was, or that is not known. For operators.",
  }),
  cost: z.number().nullable().optional().openapi({
    description: "In dollars; null where nothing was paid, or the price is not known. For operators.",
  }),
  usage: usage.optional().openapi({
    description: "Of all its steps, in tokens, as the provider counted; null where it did not say. For operators.",
  }),
  because: z.object({ code: z.string(), message: z.string() }).nullable().optional().openapi({
    description: "Why it failed; null where it did not, or nobody said. For operators.",
  }),
  events: z.array(turnEvent).readonly().optional().openapi({ description: "What happened in it. For operators." }),
};

export const turn = z.object(facts).openapi("Turn", { description: "One input to one final answer." });

export const turnList = z
  .object({ turns: z.array(turn).readonly(), more, total })
  .openapi("TurnList", { description: "In the order asked for; as `charter turns --json`." });
