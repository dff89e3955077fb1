import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { McpEntry } from "../../src/agent/mcp/mcp-entry.ts";
import type { TurnOutcome } from "../../src/agent/turn-interface.ts";
import { createHost } from "../../src/host/create-host.ts";
import type { Host } from "../../src/host/host.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { type Loopback, newLoopback } from "../agent/extensions/loopback-agent.ts";
import { type HttpServer, startHttpServer } from "./http.ts";

/** A tool as a server lists it. */
export type Listed = {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: object;
  readonly annotations?: object;
};

export const listed = (name: string, description = `Does ${name}.`, more: Partial<Listed> = {}): Listed => ({
  name,
  description,
  inputSchema: { type: "object", properties: { words: { type: "string" } } },
  ...more,
});

/** A server of a stranger's, and a host on the loopback whose agent “ada” has its tools. */
export type McpStage = Omit<Loopback, "another"> & {
  readonly host: Host;
  /** What the server lists from now on. */
  readonly list: (...tools: readonly Listed[]) => void;
  /** What the server was asked, a line each. */
  readonly notes: () => string[];
  readonly turn: (input?: string) => Promise<TurnOutcome>;
  /** The tools that the provider was last offered, by name. */
  readonly offered: () => readonly string[];
  /** The last request, as it came over the wire. */
  readonly wire: () => string;
  /** A host as another process has it. */
  readonly another: (options?: Partial<HostOptions>) => Host;
};

const program = join(import.meta.dirname, "program.ts");

/** `entry`: more about a server that is a process, or the whole of another, which lists what is in a file. */
export async function newMcpStage(
  entry: Partial<McpEntry> | ((file: string) => Promise<McpEntry>) = {},
  options: Partial<HostOptions> = {},
): Promise<McpStage> {
  const loopback = await newLoopback("openai-compatible");
  const folder = mkdtempSync(join(tmpdir(), "charter-mcp-"));
  const [file, noted] = [join(folder, "tools.json"), join(folder, "notes")];
  const list = (...tools: readonly Listed[]) => writeFileSync(file, JSON.stringify(tools));
  writeFileSync(noted, "");
  list(listed("read"));
  const { store, model, clock } = loopback;
  const usual = { command: [process.execPath, program, file, noted] };
  const mcp = { odd: (typeof entry === "function" ? await entry(file) : { ...usual, ...entry }) as McpEntry };
  const hosts: Host[] = [];
  const another = (more: Partial<HostOptions> = {}) => {
    const env = { PATH: process.env.PATH, HOME: folder, SECRET_KEY: "sk-1", NAMED: "yes", CHARTER_CHAIN_KEY: "sk-1" };
    const host = createHost({ store, clock, env, loadModel: async () => model, mcp, ...options, ...more });
    hosts.push(host);
    return host;
  };
  const settings = { original: { soul: "You are Ada." }, mcp: ["odd"] };
  await store.agents.put({ name: "ada", charter: "assistant", model: "m/m", settings });
  const host = another();
  const wire = () => loopback.bodies().at(-1) ?? "";
  return {
    ...loopback,
    host,
    list,
    notes: () => readFileSync(noted, "utf8").split("\n").slice(0, -1),
    turn: async (input = "Go on.") => host.runTurn({ agent: "ada", user: "bo", input }),
    offered: () => {
      const { tools = [] } = JSON.parse(wire()) as { tools?: { function: { name: string } }[] };
      return tools.map((tool) => tool.function.name).filter((name) => name.startsWith("odd_"));
    },
    wire,
    another,
    close: async () => {
      for (const one of hosts) await one.close(0);
      await loopback.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The same with a server at an address, which is in this process. */
export async function newHttpStage(
  entry: Partial<McpEntry> = {},
  { how = "json", ...options }: Partial<HostOptions> & { readonly how?: "json" | "events" } = {},
): Promise<McpStage & { readonly server: HttpServer }> {
  const servers: HttpServer[] = [];
  const stage = await newMcpStage(async (file) => {
    const server = await startHttpServer(file, how);
    servers.push(server);
    return { url: server.url, ...entry } as McpEntry;
  }, options);
  const [server] = servers as [HttpServer];
  const close = async () => {
    await stage.close();
    await server.close();
  };
  return { ...stage, server, close };
}

/** What the model was given back for its calls. */
export function resultsOf({ wire }: McpStage): string[] {
  const { messages } = JSON.parse(wire()) as { messages: { role: string; content: string }[] };
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

/** What was said of MCP servers and their tools. */
export function noticed(notices: readonly { readonly code: string; readonly message: string }[]): string[] {
  return notices.filter(({ code }) => code.startsWith("mcp")).map(({ code, message }) => `${code}: ${message}`);
}
