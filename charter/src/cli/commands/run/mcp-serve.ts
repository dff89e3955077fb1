import { createMcpServers } from "../../../operations/mcp-server.ts";
import { onlyAgent } from "../../../operations/only-one.ts";
import { loadPackage } from "../../../packages/load-package.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { asOperator } from "../../command/perform.ts";

/**
 * Speaks MCP on standard input and output, for the program that started it, about one agent and one user. Standard output is the
 * protocol's; all else goes to standard error.
 */
export async function run({ input, database }: ParsedCommand): Promise<number> {
  return asOperator({ database }, async (context) => {
    const { user = context.operator, trusted } = input as { readonly user?: string; readonly trusted?: boolean };
    const agent = await onlyAgent(context.store, input.agent as string | undefined);
    const [{ serveStdio }, createServer] = await Promise.all([
      loadPackage("@modelcontextprotocol/server/stdio", { purpose: "An MCP server" }),
      createMcpServers(),
    ]);
    const ended = new Promise<void>((resolve) => process.stdin.once("end", resolve).once("close", resolve));
    serveStdio(() => createServer({ agent, user }, { ...context, trusted }));
    process.stderr.write(`The tools of ${agent} are served on standard input and output, for the user ${user}.\n`);
    await ended;
    return 0;
  });
}
