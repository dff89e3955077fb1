import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listen } from "../../src/server/listen.ts";
import { command, createFolder, type Folder } from "../cli.ts";
import { newServed, type Served } from "../server/served.ts";

/** The tools of Charter's own MCP server, with the protocol's own client: over a program, and over HTTP. */

let folder: Folder;
let served: Served;
let server: Awaited<ReturnType<typeof listen>>;

beforeAll(async () => {
  folder = createFolder();
  folder.charter(["agents", "add", "ada", "--charter", "assistant"]);
  served = await newServed();
  server = await listen(served.app, { port: 0 });
});
afterAll(async () => {
  await server.close();
  await served.close();
  folder.remove();
});

type Wire = Parameters<Client["connect"]>[0];

async function connected<Answer>(wire: Wire, work: (client: Client) => Promise<Answer>): Promise<Answer> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(wire);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const program = (...args: string[]) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [command, "mcp", "serve", ...args],
    cwd: folder.path,
    stderr: "ignore",
  });
const overHttp = (secret: string) =>
  new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${secret}` } },
  });

async function call(client: Client, name: string, input: Record<string, unknown>) {
  const { content, isError = false } = await client.callTool({ name, arguments: input });
  const [first] = content as { readonly text: string }[];
  return { text: first?.text ?? "", isError };
}

test("a program offers the tools, about the one agent and user it was started for", async () => {
  await connected(program("--agent", "ada", "--user", "bo"), async (client) => {
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["sections_show", "sections_propose", "memory_list", "turns_list"]));
    expect(names.filter((name) => /^(inbox|automaton|core|mcp|tokens|users)_/.test(name))).toEqual([]);
    expect(names).toEqual([...new Set(names)]);
    for (const { inputSchema } of tools) expect(Object.keys(inputSchema.properties ?? {})).not.toContain("agent");
    const proposal = { section: "instructions", operation: { kind: "append", content: "- Answer in French." } };
    const made = await call(client, "sections_propose", proposal);
    expect(made).toMatchObject({ isError: false, text: expect.stringContaining("held") });
    const shown = async () => (await call(client, "sections_show", { section: "instructions" })).text;
    expect(await shown()).not.toContain("French");
    const { held } = JSON.parse(made.text.slice(made.text.indexOf("\n")));
    expect(folder.charter(["approve", held]).code).toBe(0);
    expect(await shown()).toContain("- Answer in French.");
    const refused = await call(client, "sections_show", { section: "instructions", agent: "eva" });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("agent is not known here") });
    await expect(client.callTool({ name: "agents_remove", arguments: {} })).rejects.toThrow("There is no tool");
  });
  await connected(program("--agent", "ada", "--user", "bo", "--trusted"), async (client) => {
    const proposal = { section: "instructions", operation: { kind: "append", content: "- Be brief." } };
    expect((await call(client, "sections_propose", proposal)).text).toContain("accepted");
  });
  const history = folder.charter(["history", "--agent", "ada", "--user", "bo", "instructions", "--json"]).json();
  expect(history).toMatchObject({
    amendments: [
      { actor: "agent", revision: 2 },
      { actor: "agent", revision: 1 },
    ],
  });
});

test("the server offers the same at /mcp, to whoever has a token, each about themselves", async () => {
  const secret = await served.token({ kind: "user", user: "bo", agent: "ada" });
  await connected(overHttp(secret), async (client) => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("sections_propose");
    const proposal = { section: "instructions", operation: { kind: "append", content: "- Be brief." } };
    expect((await call(client, "sections_propose", proposal)).text).toContain("held");
  });
  expect((await served.operator("GET /approvals?user=bo")).body.proposals).toMatchObject([{ section: "instructions" }]);
  await expect(connected(overHttp("nonsense"), (client) => client.listTools())).rejects.toThrow();
});
