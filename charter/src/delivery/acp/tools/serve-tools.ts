import type { Socket } from "node:net";
import type { CallToolResult, JSONRPCMessage, Tool } from "@modelcontextprotocol/server";
import { loadPackage } from "../../../packages/load-package.ts";
import type { ToolCall, ToolOffer, ToolResult } from "../../model.ts";
import { createSocketTransport } from "./socket-transport.ts";

/** The tools of a conversation: which there are now, and how a call of one is run. */
export type ServedTools = {
  readonly offers: () => readonly ToolOffer[];
  /** Runs a call. Its id is new; `input` is the arguments as JSON. */
  readonly call: (call: ToolCall) => Promise<ToolResult>;
};

/** What `serveTools` is given besides the tools. */
type ServeToolsOptions = {
  readonly socket: Socket;
  readonly received: Buffer;
  readonly maxLineBytes: number;
  readonly newId: () => string;
};

const methods: readonly string[] = ["initialize", "ping", "tools/list", "tools/call"];
const invalidParams = -32602;

/** Speaks MCP on a socket, in each revision of it that the library knows, until either side ends. */
export async function serveTools({ offers, call }: ServedTools, options: ServeToolsOptions): Promise<void> {
  const purpose = { purpose: "Giving our tools to an agent over ACP" };
  const [{ Server, ProtocolError, parseJSONRPCMessage: parseMessage, specTypeSchemas }, { serveStdio }] =
    await Promise.all([
      loadPackage("@modelcontextprotocol/server", purpose),
      loadPackage("@modelcontextprotocol/server/stdio", purpose),
    ]);
  const { newId, ...connection } = options;
  const { InitializeRequest, PingRequest, ListToolsRequest, CallToolRequest } = specTypeSchemas;
  const schemas = [InitializeRequest, PingRequest, ListToolsRequest, CallToolRequest];
  const schemaOf = new Map(methods.map((method, index) => [method, schemas[index]]));
  serveStdio(createServer, { transport: createSocketTransport({ ...connection, parseMessage, isComplete }) });

  function isComplete(message: JSONRPCMessage): boolean {
    const schema = "method" in message ? schemaOf.get(message.method) : undefined;
    return schema === undefined || !("issues" in schema["~standard"].validate(message));
  }

  function createServer() {
    const server = new Server({ name: "charter", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools: offers().map(toTool) }));
    server.setRequestHandler("tools/call", async ({ params }) => {
      const { name, arguments: input = {} } = params;
      if (!offers().some((offer) => offer.name === name)) {
        throw new ProtocolError(invalidParams, `There is no tool “${name}”.`);
      }
      return toResult(await call({ id: newId(), name, input: JSON.stringify(input) }));
    });
    return server;
  }
}

/** Our prompt names its tools, so Claude Code is asked not to keep them back until somebody searches for them. */
const loadedAtOnce = { "anthropic/alwaysLoad": true };

function toTool({ name, description, input }: ToolOffer): Tool {
  return { name, description, inputSchema: { ...input, type: "object" }, _meta: loadedAtOnce };
}

function toResult({ output, failed }: ToolResult): CallToolResult {
  return { content: [{ type: "text", text: output }], ...(failed && { isError: true }) };
}
