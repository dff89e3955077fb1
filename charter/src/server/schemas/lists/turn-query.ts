import { z } from "@hono/zod-openapi";
import { turnEvents } from "../../../store/turns/list/turn-filter.ts";
import { user } from "../name.ts";

const tokens = z.number().nullable();

export const usage = z.object({ input: tokens, read: tokens, written: tokens, output: tokens });

export const turnState = z.enum(["running", "answered", "failed", "interrupted", "erased"]);

export const turnEvent = z.enum(turnEvents).openapi("TurnEvent", {
  description:
    "An amendment was made (`amended`), refused or held, or a call was held; less was read from the provider's cache than the request before had left there (`cache-miss`); a tool was called; or the turn failed.",
});

const time = (description: string) =>
  z
    .string()
    .refine((value) => /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value)), {
      message: "must be a time, as in 2026-02-18T15:04:00Z",
    })
    .optional()
    .openapi({ format: "date-time", description, example: "2026-02-18T15:04:00Z" });

const dollars = (description: string) =>
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/, "must be a number of dollars, as in 0.05")
    .transform(Number)
    .optional()
    .openapi({ type: "number", param: { required: false }, description, example: 0.05 });

/** What turns are looked for by; also those of a session. */
export const turnFilter = {
  user,
  words: z.string().min(1).max(1000).optional().openapi({
    description: "Only those whose input and reply have words that begin with each of these.",
    example: "refund order",
  }),
  state: turnState.optional().openapi({ description: "Only those in this state." }),
  event: turnEvent.optional().openapi({ description: "Only those in which this happened." }),
  channel: z.string().optional().openapi({ description: "Only those of this channel." }),
  model: z.string().optional().openapi({ description: "Only those this model was asked last in. For operators." }),
  from: time("Only those that began then or later."),
  to: time("Only those that began before then."),
  minCost: dollars("Only those that cost as much or more, in dollars. For operators."),
  maxCost: dollars("Only those that cost as much or less, in dollars. For operators."),
};

export const turnSort = z.enum(["newest", "oldest", "cost", "duration"]).optional().openapi({
  description: "Default: the newest first. By cost (for operators) or duration: the highest first.",
});

export const sessionSort = z.enum(["newest", "oldest", "cost"]).optional().openapi({
  description: "Default: the most recently used first. By cost (for operators): the highest first.",
});
