import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import type { ToolCall, ToolOffer, ToolResult } from "../model.ts";
import { type OpenToolServerOptions, openToolServer, type ToolServer } from "./tool-server.ts";

const offers: readonly ToolOffer[] = [
  {
    name: "note",
    description: "Writes a note.",
    input: {
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
      additionalProperties: false,
    },
  },
  { name: "fail", description: "Fails.", input: { type: "object", properties: {} } },
];

/** Notes each call; a call of “fail” fails. */
function createTools() {
  const calls: ToolCall[] = [];
  const call = async (one: ToolCall): Promise<ToolResult> => {
    calls.push(one);
    const { id, name, input } = one;
    if (name === "fail") return { call: id, name, output: "No.", failed: true };
    return { call: id, name, output: `noted: ${JSON.parse(input).text}` };
  };
  return { calls, offers: () => offers, call };
}

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function openTools(options: Partial<OpenToolServerOptions> = {}) {
  const tools = createTools();
  const server = await openToolServer({ ...tools, ...options });
  open.push(server.close);
  return { ...tools, server };
}

const environmentOf = ({ config }: ToolServer) =>
  Object.fromEntries(config.env.map(({ name, value }) => [name, value])) as Record<string, string>;

/** A reader of MCP that somebody else wrote, started as an agent starts it. */
async function connectClient(server: ToolServer, env = environmentOf(server), mode: "auto" | "legacy" = "legacy") {
  const { command, args } = server.config;
  const transport = new StdioClientTransport({ command, args: [...args], env, stderr: "ignore" });
  const client = new Client({ name: "reader", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  open.push(() => client.close());
  return { client, pid: transport.pid as number };
}

test.each(["legacy", "auto"] as const)("a client lists the tools and calls one (%s handshake)", async (mode) => {
  const { server, calls } = await openTools();
  const { client } = await connectClient(server, undefined, mode);
  const { tools } = await client.listTools();
  const _meta = { "anthropic/alwaysLoad": true };
  expect(tools).toEqual(offers.map(({ input, ...offer }) => ({ ...offer, inputSchema: input, _meta })));

  const result = await client.callTool({ name: "note", arguments: { text: "für später" } });
  expect(result.content).toEqual([{ type: "text", text: "noted: für später" }]);
  expect(result.isError).toBeUndefined();
  expect(calls).toEqual([{ id: calls[0]?.id, name: "note", input: '{"text":"für später"}' }]);
});

test("a failed call is a result that says so; an unknown tool is an error", async () => {
  const { server, calls } = await openTools();
  const { client } = await connectClient(server);
  expect(await client.callTool({ name: "fail" })).toEqual({ content: [{ type: "text", text: "No." }], isError: true });
  expect(calls).toEqual([{ id: calls[0]?.id, name: "fail", input: "{}" }]);
  await expect(client.callTool({ name: "nobody" })).rejects.toMatchObject({
    code: -32602,
    message: "There is no tool “nobody”.",
  });
});

test("a call that throws is an internal error, and the next is served", async () => {
  const { server } = await openTools({ call: async () => Promise.reject(new Error("the disk is full")) });
  const { client } = await connectClient(server);
  await expect(client.callTool({ name: "fail" })).rejects.toMatchObject({ code: -32603 });
  expect((await client.listTools()).tools.length).toBe(2);
});

test("an agent may start it twice; each call has an id of its own", async () => {
  const { server, calls } = await openTools();
  const clients = await Promise.all([connectClient(server), connectClient(server)]);
  const results = await Promise.all(
    clients.flatMap(({ client }, index) =>
      [0, 1, 2].map(async (number) => {
        const { content } = await client.callTool({ name: "note", arguments: { text: `${index}.${number}` } });
        return (content as { text: string }[])[0]?.text;
      }),
    ),
  );
  expect(results).toEqual(["0.0", "0.1", "0.2", "1.0", "1.1", "1.2"].map((text) => `noted: ${text}`));
  expect(new Set(calls.map(({ id }) => id)).size).toBe(6);
});

test("the socket is in a directory of this account alone, and gone when the server is closed", async () => {
  const { server } = await openTools();
  const directory = dirname(environmentOf(server).CHARTER_TOOLS_SOCKET as string);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  await server.close();
  expect(existsSync(directory)).toBe(false);
});

test("the program ends when the server is closed, and when its standard input ends", async () => {
  const { server } = await openTools();
  const [first, second] = [startPipe(server), startPipe(server)];
  await Promise.all([first.ask({ method: "ping" }), second.ask({ method: "ping" })]);
  first.child.stdin.end();
  expect(await first.ended).toEqual([0, null]);
  await server.close();
  expect(await second.ended).toEqual([0, null]);
});

test("a killed program costs only its own connection", async () => {
  const { server } = await openTools();
  const [first, second] = [startPipe(server), startPipe(server)];
  await first.ask({ method: "ping" });
  first.child.kill("SIGKILL");
  await first.ended;
  expect(await second.ask({ method: "ping" })).toMatchObject({ result: {} });
});

test("who does not know the secret is not heard, and the program says why it ends", async () => {
  const { server, calls } = await openTools();
  const env = { ...environmentOf(server), CHARTER_TOOLS_SECRET: "0".repeat(64) };
  const { child, ended } = startPipe(server, env);
  const said = child.stderr.toArray();
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "fail" } })}\n`);
  expect(await ended).toEqual([1, null]);
  expect(Buffer.concat(await said).toString()).toMatch(
    /^charter: The tools (were not opened|cannot be reached: .*)\.\n$/,
  );
  expect(calls).toEqual([]);
});

test("a connection that says nothing is ended", async () => {
  const { server } = await openTools({ entryMs: 20 });
  const silent = connect(environmentOf(server).CHARTER_TOOLS_SOCKET as string);
  await once(silent.resume(), "close");
});

test("connections beyond the limit are not taken, and those within it are served", async () => {
  const { server } = await openTools({ maxConnections: 1 });
  const { ask } = startPipe(server);
  await ask({ method: "ping" });
  const beyond = connect(environmentOf(server).CHARTER_TOOLS_SOCKET as string);
  beyond.on("error", () => {});
  await once(beyond.resume(), "close");
  expect(await ask({ method: "ping" })).toMatchObject({ result: {} });
});

test("a server that is gone is said on standard error", async () => {
  const { server } = await openTools();
  await server.close();
  const { child, ended } = startPipe(server);
  const said = child.stderr.toArray();
  expect(await ended).toEqual([1, null]);
  expect(Buffer.concat(await said).toString()).toMatch(/^charter: The tools cannot be reached: connect ENOENT .*\.\n$/);
});

test("a line that is too long ends the connection with a message", async () => {
  const { server } = await openTools({ maxLineBytes: 1000 });
  const { child, nextLine, ended } = startPipe(server);
  child.stdin.write(`"${"x".repeat(2000)}`);
  expect(await nextLine()).toEqual({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32600, message: "A line is longer than 1000 bytes." },
  });
  expect(await ended).toEqual([0, null]);
});

test("each mistake is answered with the code for it", async () => {
  const mistakes: readonly (readonly [line: string, id: string | number | null, code: number])[] = [
    ["{", null, -32700],
    ["[]", null, -32600],
    ['"ping"', null, -32600],
    ['{"jsonrpc":"1.0","id":4,"method":"ping"}', 4, -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600],
    ['{"jsonrpc":"2.0","id":"a","method":"no/such"}', "a", -32601],
    ['{"jsonrpc":"2.0","id":5,"method":"tools/call"}', 5, -32602],
    ['{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":7}}', 6, -32602],
    ['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"note","arguments":[]}}', 7, -32602],
    ['{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"__proto__"}}', 8, -32602],
    ['{"jsonrpc":"2.0","id":9,"method":"initialize","params":{}}', 9, -32602],
    ['{"jsonrpc":"2.0","id":10,"method":"tools/list","params":{"cursor":5}}', 10, -32602],
    ['{"jsonrpc":"2.0","id":11,"method":"ping","params":{"_meta":5}}', 11, -32600],
  ];
  const { server } = await openTools();
  const { child, nextLine } = startPipe(server);
  const answers = [];
  for (const [line] of mistakes) {
    child.stdin.write(`${line}\n`);
    const { id, error } = await nextLine();
    answers.push([line, id, error.code]);
  }
  expect(answers).toEqual(mistakes);
});

test("whatever arrives, each request is answered and the next one is served", async () => {
  const { server } = await openTools();
  const { child, ask } = startPipe(server);
  const member = fc.oneof(fc.constantFrom("tools/call", "tools/list", "initialize", "ping", "note"), fc.jsonValue());
  const message = fc.record(
    {
      jsonrpc: fc.oneof({ weight: 5, arbitrary: fc.constant("2.0") }, fc.jsonValue()),
      id: fc.oneof({ weight: 5, arbitrary: fc.integer() }, fc.jsonValue()),
      method: member,
      params: fc.oneof(fc.record({ name: member, arguments: fc.jsonValue(), _meta: fc.jsonValue() }), fc.jsonValue()),
      result: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const line = fc.oneof(
    message.map((value) => JSON.stringify(value)),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.string({ unit: "binary" }).map((text) => text.replace(/[\r\n]/g, "")),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 20 }), async (lines) => {
      child.stdin.write(`${lines.join("\n")}\n`);
      expect(await ask({ method: "tools/call", params: { name: "fail" } })).toMatchObject({
        result: { isError: true },
      });
    }),
    { numRuns: 40 },
  );
});

test("the program is small and imports nothing but Node's own", async () => {
  const { server } = await openTools();
  const text = readFileSync(server.config.args[0] as string, "utf8");
  expect(text.length).toBeLessThan(1500);
  expect([...text.matchAll(/from "([^"]+)"/g)].map(([, from]) => from)).toEqual(["node:net"]);
});

/** The program as a bare process: what is written to it, and each line it says. */
function startPipe(server: ToolServer, env = environmentOf(server)) {
  const child = spawn(server.config.command, server.config.args, { env, stdio: "pipe" });
  child.stdin.on("error", () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("The program ended.");
    return JSON.parse(value);
  };
  const ended = once(child, "close");
  let asked = 0;
  open.push(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  /** Sends a request, and passes over what is said to others until it is answered. */
  const ask = async (request: Record<string, unknown>) => {
    const id = `asked-${asked++}`;
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...request })}\n`);
    for (;;) {
      const message = await nextLine();
      if (message.id === id) return message;
    }
  };
  return { child, nextLine, ended, ask };
}
