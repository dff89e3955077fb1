import { type AgentMcp, createAgentMcp } from "../../host/mcp/agent-mcp.ts";
import type { Store } from "../../store/store.ts";

/** Tools of the MCP servers that the configuration here describes. It is read when an agent names a server. */
export function mcpFor(store: Store): AgentMcp {
  return createAgentMcp({
    store,
    env: async () => (await import("../shared/trust/directory-settings.ts")).environmentHere(),
    mcp: async () => (await import("../shared/config-keys.ts")).mcpHere(),
  });
}
