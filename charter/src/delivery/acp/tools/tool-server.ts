import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ServedTools, serveTools } from "./serve-tools.ts";

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
  /** So long may a connection take to prove itself. */
  readonly entryMs?: number;
};

const pipeFile = fileURLToPath(new URL("../../../../bin/tool-pipe.js", import.meta.url));
const secretBytes = 32;
/** What a path of a socket may have at most, on every system. */
const maxPathBytes = 100;

/**
 * Opens the tools to an agent. The agent starts a program that is only a pipe; what answers is this process, on a socket
 * that only this account can open, to whoever says the secret first.
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
    // An agent that ends in the middle of a line is no fault of ours.
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

/** Lets a connection in whose first line is the secret; any other is ended without a word. */
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

/** A new path for a socket, in a directory that no other account can read. */
async function makePath(): Promise<string> {
  if (process.platform === "win32") return `\\\\.\\pipe\\charter-${randomBytes(16).toString("hex")}`;
  const usual = join(tmpdir(), "charter-");
  const isShort = Buffer.byteLength(usual) < maxPathBytes - "XXXXXX/tools".length;
  return join(await mkdtemp(isShort ? usual : "/tmp/charter-"), "tools");
}
