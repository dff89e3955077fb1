import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Client, JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { endGroup, endWithProcess } from "../../delivery/process-group.ts";
import { loadPackage } from "../../packages/load-package.ts";
import { withoutChainKey } from "../../sources/core-memory/key-source.ts";
import { type McpEntry, type McpProgram, mcpLimits } from "./mcp-entry.ts";

type ConnectOptions = {
  readonly entry: McpEntry;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onClose: () => void;
  readonly onListChanged: () => void;
};

/** A connected client. */
export type McpClient = {
  readonly client: Client;
  readonly close: () => Promise<void>;
};

/** Loads the library when the first server is wanted. */
export function loadClient() {
  return loadPackage("@modelcontextprotocol/client", { purpose: "A tool of an MCP server" });
}

/**
 * Connects to a server, in whichever revision of MCP it speaks. It is told that we offer nothing: the library refuses its
 * requests for a model's answer, a question to the user or our directories.
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

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Wraps fetch so that answers have a maximum size: each event of a stream of events, any other body as a whole. An event that is
 * too large is replaced by an answer that says so, to its request.
 */
function boundedFetch(maxBytes: number, fetching: Fetch = fetch): Fetch {
  return async (url, init) => {
    const response = await fetching(url, init);
    if (response.body === null) return response;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
    const body = response.body.pipeThrough(isStream ? boundedEvents(maxBytes, idOf(init)) : boundedBody(maxBytes));
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

function boundedBody(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform: (chunk, out) => {
      bytes += chunk.length;
      if (bytes > maxBytes) out.error(new Error(`its answer is larger than ${maxBytes} bytes`));
      else out.enqueue(chunk);
    },
  });
}

/** Limits each event of a stream; an event ends with an empty line. */
function boundedEvents(maxBytes: number, id: number | string | undefined): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let last = 0;
  return new TransformStream({
    transform: (chunk, out) => {
      for (const byte of chunk) {
        bytes += 1;
        if (byte === 10 && last === 10) bytes = 0;
        if (byte !== 13) last = byte;
      }
      if (bytes <= maxBytes) return out.enqueue(chunk);
      if (id === undefined) return out.error(new Error(`an event is larger than ${maxBytes} bytes`));
      const replacement = `\n\nevent: message\ndata: ${JSON.stringify(tooLarge(id, maxBytes))}\n\n`;
      out.enqueue(new TextEncoder().encode(replacement));
      out.terminate();
    },
  });
}

/** Returns the id of the request in a body, if it is one. */
function idOf(init: RequestInit | undefined): number | string | undefined {
  if (typeof init?.body !== "string") return undefined;
  try {
    const { id } = Object(JSON.parse(init.body)) as { readonly id?: unknown };
    return typeof id === "number" || typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

type StdioOptions = McpProgram & {
  /** The environment that PATH, HOME and the variables that are handed on are taken from. */
  readonly from: Environment;
  readonly parseMessage: (value: unknown) => JSONRPCMessage;
  readonly messageBytes: number;
};

/** A transport with the fields by which the library takes it for one over standard input and output. */
type StdioTransport = Transport & { readonly stderr: null; readonly pid: number | null };

/**
 * Starts a server as a process of ours. Unlike the library's own transport: it gets only the environment that is named, its
 * standard error goes nowhere, messages have a maximum size, and everything it started ends with it.
 */
function createStdioTransport(options: StdioOptions): StdioTransport {
  let child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  let forget = () => {};
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    const leader = child?.pid;
    child?.stdin.destroy();
    if (leader !== undefined) await endGroup(leader);
    forget();
    child?.stdout.destroy();
    transport.onclose?.();
  };
  const start = () =>
    new Promise<void>((resolve, reject) => {
      const [program = "", ...args] = options.command;
      child = spawn(program, args, {
        cwd: options.cwd,
        env: environmentOf(options),
        // A process group of its own lets everything it starts end with it.
        detached: true,
        stdio: ["pipe", "pipe", "ignore"],
      });
      const { pid, stdin, stdout } = child;
      if (pid !== undefined) forget = endWithProcess(pid);
      const reader = createMessageReader({
        maxBytes: options.messageBytes,
        onMessage: (value) => {
          try {
            transport.onmessage?.(options.parseMessage(value));
          } catch (error) {
            transport.onerror?.(error as Error);
          }
        },
      });
      stdout.on("data", reader);
      for (const stream of [stdin, stdout]) stream.on("error", () => {});
      child.on("spawn", () => resolve());
      child.on("error", (error) => {
        reject(error);
        void close();
      });
      child.on("exit", () => void close());
    });
  const send = (message: JSONRPCMessage) =>
    new Promise<void>((resolve, reject) => {
      if (child === undefined || closed) return reject(new Error("it is not running"));
      child.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  const transport: StdioTransport = {
    start,
    send: (message) => send(message),
    close,
    stderr: null,
    get pid() {
      return child?.pid ?? null;
    },
  };
  return transport;
}

/**
 * Makes the server's environment: PATH, so that programs are found, HOME, where they keep what they fetched, then the named
 * variables and nothing else. The key of a chain is not handed on even where it is named.
 */
function environmentOf({ env = [], from: environment }: Pick<StdioOptions, "env" | "from">): Record<string, string> {
  const names = Array.isArray(env) ? env : [];
  const from = withoutChainKey({ ...environment });
  const handed = ["PATH", "HOME", ...names].flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]));
  return { ...Object.fromEntries(handed), ...(Array.isArray(env) ? {} : env) };
}

type ReaderOptions = {
  /** Maximum size of a line in bytes. A longer one is skipped, and the request it answers fails. */
  readonly maxBytes: number;
  readonly onMessage: (value: unknown) => void;
};

const newline = 10;
/** Number of bytes at both ends of an overlong message in which its id is looked for: servers write it first or last. */
const edgeBytes = 256;

/**
 * Reads messages, one a line. A line that is no JSON is skipped, since programs print what they like. Of a line that is too long
 * only its edges are kept, to find out which request it answers: that request fails, and the server lives on.
 */
function createMessageReader({ maxBytes, onMessage }: ReaderOptions): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let bytes = 0;
  const add = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= maxBytes) pieces.push(piece);
    else pieces = edgesOf([...pieces, piece]);
  };
  const endLine = () => {
    const line = Buffer.concat(pieces).toString("utf8").trim();
    const tooLong = bytes > maxBytes;
    pieces = [];
    bytes = 0;
    if (tooLong) {
      const id = idIn(line);
      if (id !== undefined) onMessage(tooLarge(id, maxBytes));
      return;
    }
    const value = messageIn(line);
    if (value !== undefined) onMessage(value);
  };
  return (chunk) => {
    for (let rest = chunk; rest.length > 0; ) {
      const end = rest.indexOf(newline);
      add(end === -1 ? rest : rest.subarray(0, end));
      if (end === -1) return;
      endLine();
      rest = rest.subarray(end + 1);
    }
  };
}

/** Makes the answer that replaces one that is too large. */
function tooLarge(id: number | string, maxBytes: number): object {
  return { jsonrpc: "2.0", id, error: { code: tooLargeCode, message: `larger than ${maxBytes} bytes` } };
}

/** The code of an answer that came and was too large to be read. It is none of JSON-RPC's own codes. */
export const tooLargeCode = -32_099;

function edgesOf(pieces: readonly Buffer[]): Buffer[] {
  const whole = Buffer.concat(pieces);
  if (whole.length <= 2 * edgeBytes) return [whole];
  return [Buffer.from(whole.subarray(0, edgeBytes)), Buffer.from(whole.subarray(-edgeBytes))];
}

function idIn(line: string): number | string | undefined {
  const match =
    /^\{"jsonrpc":"2\.0","id":(\d{1,15}|"[\w-]{1,64}"),/.exec(line) ?? /,"id":(\d{1,15}|"[\w-]{1,64}")\}$/.exec(line);
  return match?.[1] === undefined ? undefined : (JSON.parse(match[1]) as number | string);
}

function messageIn(line: string): unknown {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
