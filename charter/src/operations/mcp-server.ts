import type { Server } from "@modelcontextprotocol/server";
import { loadPackage } from "../packages/load-package.ts";
import { callMcpTool, type McpAbout, mcpTools } from "./mcp-tools.ts";
import type { OperationContext } from "./operation.ts";
import { allOperations } from "./operations.ts";

const invalidParams = -32602;

/** Makes MCP servers of the operations that are tools: one for each connection, or each request. */
export async function createMcpServers(): Promise<
  (about: McpAbout, context: Omit<OperationContext, "isModel">) => Server
> {
  const { Server, ProtocolError } = await loadPackage("@modelcontextprotocol/server", { purpose: "An MCP server" });
  return (about, context) => {
    const server = new Server({ name: "charter", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({
      tools: mcpTools(allOperations, about).map((tool) => ({
        ...tool,
        inputSchema: { ...tool.inputSchema, type: "object" as const },
      })),
    }));
    server.setRequestHandler("tools/call", async ({ params }) => {
      const call = { name: params.name, input: params.arguments ?? {} };
      const result = await callMcpTool(allOperations, call, { about, context });
      if (!result) throw new ProtocolError(invalidParams, `There is no tool “${params.name}”.`);
      return { content: [{ type: "text", text: result.text }], ...(result.isError && { isError: true }) };
    });
    return server;
  };
}
