import { z } from "@hono/zod-openapi";
import { notice } from "./agent.ts";
import { anything, time } from "./name.ts";

export const promptInputs = z
  .object({
    agent: z.string(),
    user: z.string().nullable(),
    channel: z.string().nullable(),
    at: time.openapi({ description: "The moment it was read for." }),
    charter: anything.openapi({
      description: "The charter as it is declared, as plain data; what its sources gave is in `readings`.",
    }),
    readings: z.record(z.string(), anything).openapi({
      description:
        "What was read for each section: present, empty or unavailable. `assemble` makes the prompt of both.",
    }),
    notices: z.array(notice).readonly(),
    edition: z
      .enum(["full", "compact"])
      .openapi({ description: "The edition of the next turn, by the window of its model." }),
    receiver: z
      .object({
        name: z.string(),
        slots: z.enum(["layered", "one-string"]),
        window: z.number().nullable(),
        tokenizer: z.object({ name: z.string(), exact: z.boolean() }),
        cacheMin: z.number().nullable().openapi({
          description: "A prefix with fewer tokens is not cached; null where nothing is.",
        }),
        price: z
          .object({ input: z.number(), read: z.number(), write: z.number(), output: z.number() })
          .nullable()
          .openapi({ description: "Dollars per million tokens." }),
      })
      .openapi({ description: "The model that would read it." }),
    toolTokens: z.number().openapi({
      description: "The tokens of the tools. They come before the prompt in every request, and are cached with it.",
    }),
    channels: z.array(z.string()).readonly().openapi({ description: "The channels a turn can come from." }),
  })
  .openapi("PromptInputs", {
    description: "The inputs of the next prompt: enough to assemble it elsewhere, in any edition and for any limit.",
  });
