import { createServer, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

/** What a relay does that keeps to nothing: with every connection, and with every message. */
export type NastyScript = {
  /** Answers the upgrade with this status in place of a connection; with 0, not at all. */
  readonly status?: number;
  readonly connected?: (say: Say) => void;
  readonly told?: (message: readonly unknown[], say: Say) => void;
};

type Say = {
  /** A message, as JSON; or bytes and texts just as they are. */
  readonly send: (...messages: readonly (readonly unknown[])[]) => void;
  readonly raw: (text: string | Buffer) => void;
  readonly close: (code?: number, reason?: string) => void;
  /** The connection itself: whatever is written here is no WebSocket's. */
  readonly socket: () => Duplex;
};

/** A relay that follows a script. */
export async function startNastyRelay(script: NastyScript) {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 10_000_000 });
  const open = new Set<Duplex>();
  let asked = 0;
  let heard = 0;
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => {});
  });
  server.on("upgrade", (request, socket, head) => {
    asked++;
    if (script.status === 0) {
      socket.on("end", () => socket.destroy()).resume();
      heard++;
      return;
    }
    if (script.status !== undefined) {
      socket.end(`HTTP/1.1 ${script.status} ${STATUS_CODES[script.status]}\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      follow(script, client, socket);
      client.on("pong", () => heard++);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How many connections were made. */
    asked: () => asked,
    /** How many requests it has answered in its own way, and whoever asked has read that answer. */
    heard: () => heard,
    /** How many connections still stand. */
    open: () => open.size,
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function follow({ connected, told }: NastyScript, client: WebSocket, socket: Duplex): void {
  const say: Say = {
    send: (...messages) => {
      for (const message of messages) client.send(JSON.stringify(message));
    },
    raw: (text) => client.send(text),
    close: (code, reason) => client.close(code, reason),
    socket: () => socket,
  };
  client.on("error", () => {});
  client.on("message", (data) => {
    const message = JSON.parse(String(data));
    told?.(message, say);
    if (message[0] === "REQ" && client.readyState === client.OPEN) client.ping();
  });
  connected?.(say);
}

/** Answers every request with these events, and says that they are all. */
export function gives(...events: readonly unknown[]): NastyScript {
  return {
    told: ([type, name], { send }) => {
      if (type === "REQ") send(...events.map((event) => ["EVENT", name, event]), ["EOSE", name]);
    },
  };
}
