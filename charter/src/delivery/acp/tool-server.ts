import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CallToolResult, JSONRPCMessage, Tool, Transport } from "@modelcontextprotocol/server";
import { loadPackage } from "../../packages/load-package.ts";
import type { ToolCall, ToolOffer, ToolResult } from "../model.ts";

/** The MCP server of our tools, as `session/new` takes it. */
export type ToolServer = {
  readonly config: {
    readonly name: "charter";
    readonly command: string;
    readonly args: readonly string[];
    readonly env: readonly { readonly name: string; readonly value: string }[];
  };
  /** Ends every connection, and removes the socket. */
  readonly close: () => Promise<void>;
};

/** The tools, and for tests the limits. */
export type OpenToolServerOptions = ServedTools & {
  readonly maxLineBytes?: number;
  readonly maxConnections?: number;
  /** Maximum milliseconds until a connection has proven itself. */
  readonly entryMs?: number;
};

const pipeFile = fileURLToPath(new URL("../../../bin/tool-pipe.js", import.meta.url));
const secretBytes = 32;
/** Maximum bytes of a socket's path, on every system. */
const maxPathBytes = 100;

/**
 * Opens the tools to an agent. The agent starts a program that is only a pipe; this process answers, on a socket that only this
 * account can open, to whoever sends the secret first.
 */
export async function openToolServer(options: OpenToolServerOptions): Promise<ToolServer> {
  const { maxLineBytes = 8 * 1024 * 1024, maxConnections = 16, entryMs = 10_000 } = options;
  const secret = Buffer.from(randomBytes(secretBytes).toString("hex"));
  const path = await makePath();
  const connections = new Set<Socket>();
  const newId = () => `mcp_${randomBytes(12).toString("hex")}`;

  const server = createServer((socket) => {
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
    // Ignores the error of an agent that ends in the middle of a line.
    socket.on("error", () => socket.destroy());
    admit(socket, { secret, entryMs }, (received) => {
      serveTools(options, { socket, received, maxLineBytes, newId }).catch(() => socket.destroy());
    });
  });
  server.maxConnections = maxConnections;
  server.listen(path);
  await once(server, "listening");

  return {
    config: {
      name: "charter",
      command: process.execPath,
      args: [pipeFile],
      env: [
        { name: "CHARTER_TOOLS_SOCKET", value: path },
        { name: "CHARTER_TOOLS_SECRET", value: secret.toString() },
      ],
    },
    close: async () => {
      const closed = server.listening ? once(server, "close") : undefined;
      server.close();
      for (const socket of connections) socket.destroy();
      await closed;
      if (process.platform !== "win32") await rm(dirname(path), { recursive: true, force: true });
    },
  };
}

/** Admits a connection whose first line is the secret; any other is closed without an answer. */
function admit(
  socket: Socket,
  { secret, entryMs }: { readonly secret: Buffer; readonly entryMs: number },
  enter: (received: Buffer) => void,
): void {
  let received = Buffer.alloc(0);
  const late = setTimeout(() => socket.destroy(), entryMs);
  socket.on("close", () => clearTimeout(late));
  socket.on("data", read);

  function read(chunk: Buffer): void {
    received = Buffer.concat([received, chunk]);
    if (received.length <= secret.length) return;
    socket.off("data", read);
    clearTimeout(late);
    const isKnown = timingSafeEqual(received.subarray(0, secret.length), secret) && received[secret.length] === 10;
    if (!isKnown) return void socket.destroy();
    socket.pause();
    enter(received.subarray(secret.length + 1));
  }
}

/** Makes a new path for a socket, in a directory that no other account can read. */
async function makePath(): Promise<string> {
  if (process.platform === "win32") return `\\\\.\\pipe\\charter-${randomBytes(16).toString("hex")}`;
  const prefix = join(tmpdir(), "charter-");
  const isShort = Buffer.byteLength(prefix) < maxPathBytes - "XXXXXX/tools".length;
  return join(await mkdtemp(isShort ? prefix : "/tmp/charter-"), "tools");
}

/** The tools of a conversation: the current list, and how a call is run. */
type ServedTools = {
  readonly offers: () => readonly ToolOffer[];
  /** Runs a call. Its id is new; `input` is the arguments as JSON. */
  readonly call: (call: ToolCall) => Promise<ToolResult>;
};

/** Options of `serveTools` besides the tools. */
type ServeToolsOptions = {
  readonly socket: Socket;
  readonly received: Buffer;
  readonly maxLineBytes: number;
  readonly newId: () => string;
};

const methods: readonly string[] = ["initialize", "ping", "tools/list", "tools/call"];
const invalidParams = -32602;

/** Speaks MCP on a socket, in each revision of it that the library knows, until either side ends. */
async function serveTools({ offers, call }: ServedTools, options: ServeToolsOptions): Promise<void> {
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

/** Asks Claude Code to load the tools at once instead of when somebody searches for them, because our prompt names them. */
const loadedAtOnce = { "anthropic/alwaysLoad": true };

function toTool({ name, description, input }: ToolOffer): Tool {
  return { name, description, inputSchema: { ...input, type: "object" }, _meta: loadedAtOnce };
}

function toResult({ output, failed }: ToolResult): CallToolResult {
  return { content: [{ type: "text", text: output }], ...(failed && { isError: true }) };
}

/** A socket that carries one JSON-RPC message a line, in both directions. */
type SocketTransportOptions = MessageReaders & {
  readonly socket: Socket;
  /** Bytes that arrived on the socket before, after the line that admitted it. */
  readonly received: Buffer;
  /** Maximum bytes of a line; a longer one ends the connection. */
  readonly maxLineBytes: number;
};

type MessageReaders = {
  /** Reads a message, or throws if it is none. */
  readonly parseMessage: (value: unknown) => JSONRPCMessage;
  /** Returns true if a message's parameters fit its method. */
  readonly isComplete: (message: JSONRPCMessage) => boolean;
};

/** The JSON-RPC answer to a line that is no message. */
type LineError = {
  readonly jsonrpc: "2.0";
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
};

const codes = { json: -32700, request: -32600, params: -32602 } as const;
const lineEnd = 10;

/**
 * Makes a transport that answers each faulty line with JSON-RPC's code for it, so that its sender does not wait. The library's
 * own transport silently ignores a line that is not JSON, and takes some wrong parameters for a fault of the server.
 */
function createSocketTransport(options: SocketTransportOptions): Transport {
  const { socket, maxLineBytes } = options;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let closed = false;

  const transport: Transport = {
    start: async () => {
      socket.on("data", receive);
      socket.on("close", close);
      receive(options.received);
      socket.resume();
    },
    send: async (message) => write(message),
    close: async () => {
      socket.destroySoon();
      close();
    },
  };
  return transport;

  function close(): void {
    if (closed) return;
    closed = true;
    pending = [];
    transport.onclose?.();
  }

  function receive(chunk: Buffer): void {
    for (let rest = chunk; !closed && rest.length > 0; ) {
      const end = rest.indexOf(lineEnd);
      const piece = end === -1 ? rest : rest.subarray(0, end);
      pending.push(piece);
      pendingBytes += piece.length;
      if (pendingBytes > maxLineBytes) {
        write(errorOf("request", `A line is longer than ${maxLineBytes} bytes.`));
        transport.close();
      } else if (end !== -1) takeLine();
      rest = end === -1 ? Buffer.alloc(0) : rest.subarray(end + 1);
    }
  }

  function takeLine(): void {
    const line = Buffer.concat(pending).toString("utf8").trim();
    pending = [];
    pendingBytes = 0;
    if (line === "") return;
    const read = readMessage(line, options);
    if ("message" in read) transport.onmessage?.(read.message);
    else write(read.error);
  }

  function write(message: unknown): void {
    if (!closed && socket.writable) socket.write(`${JSON.stringify(message)}\n`);
  }
}

function readMessage(
  line: string,
  { parseMessage, isComplete }: MessageReaders,
): { readonly message: JSONRPCMessage } | { readonly error: LineError } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { error: errorOf("json", "The line is not JSON.") };
  }
  try {
    const message = parseMessage(value);
    if (!("id" in message) || isComplete(message)) return { message };
    return { error: errorOf("params", "The parameters are not those of the method.", value) };
  } catch {
    return { error: errorOf("request", "The line is JSON, but no JSON-RPC message.", value) };
  }
}

/** Makes an error under the id of the request, if it has one: the sender waits for an answer under this id. */
function errorOf(kind: keyof typeof codes, message: string, request?: unknown): LineError {
  const { id } = Object(request) as { readonly id?: unknown };
  const known = typeof id === "string" || Number.isSafeInteger(id) ? (id as string | number) : null;
  return { jsonrpc: "2.0", id: known, error: { code: codes[kind], message } };
}
