import { z } from "@hono/zod-openapi";
import { heldTool } from "./approval.ts";
import { anything } from "./name.ts";

const tool = z
  .object({
    name: z.string().openapi({ example: "save_memory" }),
    description: z.string(),
    input: z.record(z.string(), z.unknown()).openapi({ description: "A JSON Schema of what it takes." }),
    sensitive: z.boolean().openapi({
      description: "It has effects outside: in a turn with untrusted text a person must approve the call.",
    }),
    foreign: z.boolean().openapi({ description: "Its results are untrusted text." }),
  })
  .openapi("Tool", { description: "What an agent's model may call." });

export const toolList = z.object({ tools: z.array(tool).readonly() }).openapi("ToolList");

export const callToolRequest = z
  .strictObject({
    input: anything.optional().openapi({ description: "What the tool takes, as its schema says; {} unless given." }),
    user: z.string().optional().openapi({
      description: "The user; only for operators. Otherwise it is the token's own user.",
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

const server = z
  .object({
    server: z.string().openapi({ description: "Its name in the configuration.", example: "files" }),
    unavailable: z.string().optional().openapi({
      description: "Why it cannot be asked. Its pinned tools are still offered, and calls of them fail.",
    }),
    pins: z.array(heldTool).readonly().openapi({ description: "Its tools; only those that are `pinned` are offered." }),
    unusable: z
      .array(z.object({ tool: z.string(), because: z.string() }))
      .readonly()
      .openapi({ description: "Tools that cannot be offered." }),
  })
  .openapi("McpServer", { description: "An MCP server that an agent's settings name." });

export const mcpServers = z.object({ servers: z.array(server).readonly() }).openapi("McpServers");
