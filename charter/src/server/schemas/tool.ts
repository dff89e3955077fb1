import { z } from "@hono/zod-openapi";
import { anything } from "./name.ts";

const tool = z
  .object({
    name: z.string().openapi({ example: "save_memory" }),
    description: z.string(),
    input: z.record(z.string(), z.unknown()).openapi({ description: "A JSON Schema of what it takes." }),
    sensitive: z
      .boolean()
      .openapi({ description: "It acts on the world outside: in a tainted turn a person must approve." }),
    foreign: z.boolean().openapi({ description: "Its results are other people's words." }),
  })
  .openapi("Tool", { description: "What an agent's model may call." });

export const toolList = z.object({ tools: z.array(tool).readonly() }).openapi("ToolList");

export const callToolRequest = z
  .strictObject({
    input: anything.optional().openapi({ description: "What the tool takes, as its schema says; {} unless given." }),
    user: z.string().optional().openapi({
      description: "For whom: an operator names a user, or nobody. A token says itself whom it is for.",
      example: "bo",
    }),
  })
  .openapi("CallToolRequest", { example: { input: { content: "Bo's sister is called Ida." }, user: "bo" } });

export const callToolResult = z
  .object({
    turn: z.string().openapi({ description: "The call is a turn of its own, on record like any other." }),
    output: z.string(),
    failed: z.boolean(),
  })
  .openapi("CallToolResult", { description: "What the call came to." });
