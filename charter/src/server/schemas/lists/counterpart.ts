import { z } from "@hono/zod-openapi";
import { time } from "../name.ts";
import { more, total } from "../page.ts";
import { usage } from "./turn-query.ts";

const counterpart = z
  .object({
    user: z.string().openapi({
      description: "A user's id; or `counterpart:` and the name of a sender whose messages came to the inbox.",
    }),
    turns: z.int(),
    failed: z.int().openapi({ description: "How many of the turns failed." }),
    messages: z.int().openapi({ description: "How many messages were answered, those no longer kept included." }),
    cost: z
      .number()
      .nullable()
      .openapi({ description: "In dollars, of the turns with a price; null where none has one." }),
    usage: usage.openapi({ description: "Of all the turns, in tokens, as the provider counted." }),
    channels: z.array(z.string()).readonly().openapi({ description: "Where the turns came from." }),
    lastAt: time,
    lastInput: z.string().nullable().openapi({
      description: "What they said last, cut where it is long; null where they said nothing themselves.",
    }),
  })
  .openapi("Counterpart", { description: "Someone an agent has spoken with, and what it comes to." });

export const counterpartList = z
  .object({ counterparts: z.array(counterpart).readonly(), more, total })
  .openapi("CounterpartList", { description: "The latest first." });
