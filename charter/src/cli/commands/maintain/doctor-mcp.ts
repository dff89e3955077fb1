import type { McpServerState } from "../../../agent/mcp/mcp-tools.ts";
import type { Host } from "../../../host/host.ts";
import { listed, Problem } from "../../../prompt/problem.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { Checkup } from "../../../store/home/database.ts";
import type { Store } from "../../../store/store.ts";

/** The MCP servers that agents name, asked now: which cannot be used and why, and which of their tools wait. */
export async function checkMcp(store: Pick<Store, "agents">, open: () => Promise<Host>): Promise<Checkup[]> {
  const agents = (await store.agents.list()).filter(({ settings }) => namesIn(settings).length > 0);
  if (agents.length === 0) return [];
  const host = await open();
  try {
    return (await Promise.all(agents.map((agent) => checkAgent(agent, host)))).flat();
  } finally {
    await host.close(0);
  }
}

async function checkAgent({ name, settings }: AgentRecord, host: Host): Promise<Checkup[]> {
  try {
    const states = await host.mcpServers(name);
    return namesIn(settings).flatMap((server) => {
      const state = states.find((one) => one.server === server);
      return state ? checkServer(name, state) : [unknown(name, server)];
    });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [{ what: `“${name}” has no MCP server: ${error.message}`, fine: false, hint: error.hint }];
  }
}

function unknown(agent: string, server: string): Checkup {
  return {
    what: `“${agent}” names the MCP server “${server}”, which is not in charter.config.ts here.`,
    fine: false,
    hint: `Describe it there under “mcp”, or take it out of the agent's settings: docs/mcp.md.`,
  };
}

function checkServer(agent: string, { server, unavailable, pins, unusable }: McpServerState): Checkup[] {
  if (unavailable !== undefined)
    return [
      {
        what: `“${agent}”: the MCP server “${server}” is unavailable: ${unavailable}.`,
        fine: false,
        hint: `Fix mcp.${server} in charter.config.ts, or start what it names. Until then calls of its tools fail.`,
      },
    ];
  const of = (status: (typeof pins)[number]["status"]) =>
    pins.filter((pin) => pin.status === status).map(({ tool }) => tool);
  const [offered, waiting] = [of("pinned"), of("waiting")];
  return [
    {
      what: `“${agent}” is offered ${offered.length} of the ${pins.length + unusable.length} tools of the MCP server “${server}”.`,
      fine: true,
    },
    ...(waiting.length === 0
      ? []
      : [
          {
            what: `“${agent}”: ${listed(waiting)} of the MCP server “${server}” ${waiting.length === 1 ? "waits" : "wait"} for a person, and ${waiting.length === 1 ? "is" : "are"} not offered.`,
            fine: false,
            hint: "See what changed with `charter approvals`, and approve or reject each.",
          },
        ]),
    ...unusable.map(({ tool, because }) => ({
      what: `“${agent}”: “${tool.slice(0, 64)}” of the MCP server “${server}” is not offered: ${because}.`,
      fine: true,
    })),
  ];
}

/** The servers that an agent's settings name. */
function namesIn({ mcp }: AgentRecord["settings"]): string[] {
  return Array.isArray(mcp) ? [...new Set(mcp.filter((name) => typeof name === "string"))] : [];
}
