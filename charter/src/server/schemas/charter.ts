import { z } from "@hono/zod-openapi";

export const charterList = z
  .object({
    charters: z
      .array(
        z.object({
          name: z.string().openapi({ example: "assistant" }),
          says: z.string().openapi({ description: "What it is for, in a sentence." }),
        }),
      )
      .readonly(),
  })
  .openapi("CharterList", { description: "The charters an agent can be given over the network." });
