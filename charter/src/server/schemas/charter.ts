import { z } from "@hono/zod-openapi";
import { allNeeds } from "../../agent/declaration.ts";

/** What a charter says of itself. */
export const traits = {
  needs: z
    .array(z.enum(allNeeds))
    .readonly()
    .openapi({ description: "What it is told besides its settings.", example: ["inbox", "notes"] }),
  served: z.boolean().openapi({
    description: "Whether its turns are taken here. Those of others are taken in a directory, at a terminal.",
  }),
};

export const charterList = z
  .object({
    charters: z
      .array(
        z.object({
          name: z.string().openapi({ example: "assistant" }),
          says: z.string().openapi({ description: "What it is for, in a sentence." }),
          ...traits,
        }),
      )
      .readonly(),
    usual: z.string().openapi({ description: "The one for whoever has no wish.", example: "assistant" }),
  })
  .openapi("CharterList", { description: "The charters an agent can be given over the network." });
