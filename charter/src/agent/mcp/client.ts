import type { Client, Transport } from "@modelcontextprotocol/client";
import { loadPackage } from "../../packages/load-package.ts";
import { boundedFetch } from "./bounded-response.ts";
import { type McpEntry, mcpLimits } from "./mcp-entry.ts";
import { createStdioTransport } from "./stdio-transport.ts";

type ConnectOptions = {
  readonly entry: McpEntry;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onClose: () => void;
  readonly onListChanged: () => void;
};

/** A client that is connected. */
export type McpClient = {
  readonly client: Client;
  readonly close: () => Promise<void>;
};

/** The library, which is loaded when the first server is wanted. */
export function loadClient() {
  return loadPackage("@modelcontextprotocol/client", { purpose: "A tool of an MCP server" });
}

/**
 * Connects to a server, in whichever revision of MCP it speaks. It is told that we can do nothing for it: what it asks of
 * us (a model's answer, a question to the user, our directories) is refused by the library.
 */
export async function connectClient({ entry, env, onClose, onListChanged }: ConnectOptions): Promise<McpClient> {
  const sdk = await loadClient();
  const { messageBytes, connectMs, pages } = mcpLimits;
  const transport: Transport =
    "command" in entry
      ? createStdioTransport({ ...entry, from: env, parseMessage: sdk.parseJSONRPCMessage, messageBytes })
      : new sdk.StreamableHTTPClientTransport(new URL(entry.url), {
          fetch: boundedFetch(messageBytes),
          requestInit: { headers: { ...entry.headers } },
          reconnectionOptions: {
            maxRetries: 0,
            initialReconnectionDelay: 1000,
            maxReconnectionDelay: 1000,
            reconnectionDelayGrowFactor: 1,
          },
        });
  const client = new sdk.Client(
    { name: "charter", version: "1" },
    {
      capabilities: {},
      listMaxPages: pages,
      versionNegotiation: { mode: "auto", probe: { timeoutMs: 5000 } },
      inputRequired: { autoFulfill: false },
    },
  );
  client.onclose = onClose;
  client.onerror = () => {};
  client.setNotificationHandler("notifications/tools/list_changed", () => onListChanged());
  const close = async () => {
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
  };
  try {
    await client.connect(transport, { timeout: connectMs });
  } catch (error) {
    await close();
    throw error;
  }
  return { client, close };
}
