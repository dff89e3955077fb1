import type { Socket } from "node:net";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";

/** One JSON-RPC message a line, in both directions, over a socket. */
type SocketTransportOptions = MessageReaders & {
  readonly socket: Socket;
  /** What arrived on the socket before, after the line that let it in. */
  readonly received: Buffer;
  /** A longer line ends the connection. */
  readonly maxLineBytes: number;
};

type MessageReaders = {
  /** Reads a message, or throws if it is none. */
  readonly parseMessage: (value: unknown) => JSONRPCMessage;
  /** Are its parameters those of its method? */
  readonly isComplete: (message: JSONRPCMessage) => boolean;
};

/** What JSON-RPC answers to a line that is no message. */
type LineError = {
  readonly jsonrpc: "2.0";
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
};

const codes = { json: -32700, request: -32600, params: -32602 } as const;
const lineEnd = 10;

/**
 * The library's own transport passes over a line that is not JSON without a word, and takes some parameters that are
 * wrong for a fault of the server. Here each line that is no message is answered with JSON-RPC's code for it, so that
 * whoever wrote it does not wait.
 */
export function createSocketTransport(options: SocketTransportOptions): Transport {
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

/** Under the id of the request, if it has one: its writer waits for an answer under this id. */
function errorOf(kind: keyof typeof codes, message: string, request?: unknown): LineError {
  const { id } = Object(request) as { readonly id?: unknown };
  const known = typeof id === "string" || Number.isSafeInteger(id) ? (id as string | number) : null;
  return { jsonrpc: "2.0", id: known, error: { code: codes[kind], message } };
}
