import type { Hono } from "hono";
import { notAllowed } from "../operations/caller.ts";
import { createMcpServers } from "../operations/mcp-server.ts";
import type { OperationContext } from "../operations/operation.ts";
import { loadPackage } from "../packages/load-package.ts";
import type { ApiEnv, RouteContext } from "./api.ts";

/**
 * `/mcp`: the operations that are tools, for models. It stands behind the gate like everything else. A cookie opens it to
 * nobody: pages have routes of their own.
 */
export function serveMcp(app: Hono<ApiEnv>, serving: RouteContext): void {
  const { host, operator } = serving;
  let handler: ReturnType<typeof createHandler> | undefined;
  app.all("/mcp", async (context) => {
    const caller = context.get("caller");
    if ((caller.kind !== "operator" && caller.kind !== "user") || caller.by === "cookie" || caller.by === "chat-cookie")
      throw notAllowed("tools over MCP");
    handler ??= createHandler();
    const about = caller.kind === "user" ? { agent: caller.agent, user: caller.user } : {};
    const asking = { store: host.store, clock: host.clock, operator, caller, host: async () => host, service: serving };
    const body = await context.req.text();
    return (await handler)(context.req.raw, { about, asking, body });
  });
}

type Asking = {
  readonly about: { readonly agent?: string | undefined; readonly user?: string };
  readonly asking: Omit<OperationContext, "isModel">;
  readonly body: string;
};

async function createHandler(): Promise<(request: Request, asking: Asking) => Promise<Response>> {
  const [{ createMcpHandler }, createServer] = await Promise.all([
    loadPackage("@modelcontextprotocol/server", { purpose: "An MCP server" }),
    createMcpServers(),
  ]);
  return async (request, { about, asking, body }) => {
    const { fetch } = createMcpHandler(() => createServer(about, asking), { maxSubscriptions: 0 });
    // What came has been read and measured by the gate.
    const again = new Request(request.url, {
      method: request.method,
      headers: request.headers,
      ...(body !== "" && { body }),
    });
    return fetch(again);
  };
}
