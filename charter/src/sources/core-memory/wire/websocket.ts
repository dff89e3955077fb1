import { createHash, randomBytes } from "node:crypto";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connectionTrouble, lateTrouble, saidBy, statusTrouble, type WireTrouble } from "./connection-trouble.ts";
import { createFrameReader, encodeFrame, opcodes } from "./frame.ts";

const normalClosure = Buffer.from([1000 >> 8, 1000 & 0xff]);

/** A connection that stands, as long as nobody ended it. */
type WebSocketLine = { readonly send: (text: string) => void; readonly end: () => void };

type OpenWebSocketOptions = {
  readonly url: URL;
  readonly signal: AbortSignal;
  readonly maxMessageBytes: number;
  readonly onOpen: () => void;
  readonly onText: (text: string) => void;
  /** Told once, where the connection ends by itself or was never made; never after `end`. */
  readonly onTrouble: (trouble: WireTrouble) => void;
};

/**
 * Opens a WebSocket of our own making. The platform's own tells a relay that refuses from one that is not there no more
 * than a browser does, reads a message of any size into memory, and keeps a process alive for seconds after it was
 * closed while still connecting. All three matter here: an unreachable relay may be empty, a refusing one may not.
 */
export function openWebSocket(options: OpenWebSocketOptions): WebSocketLine {
  const { url, signal, onOpen, onText, onTrouble } = options;
  const key = randomBytes(16).toString("base64");
  const isSecure = url.protocol === "wss:";
  let socket: Socket | undefined;
  let isConnected = false;
  let isOver = false;

  const request = (isSecure ? requestHttps : requestHttp)({
    protocol: isSecure ? "https:" : "http:",
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    agent: false,
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-key": key,
      "sec-websocket-version": "13",
    },
  });

  const finish = (): boolean => {
    if (isOver) return false;
    isOver = true;
    signal.removeEventListener("abort", expire);
    if (socket) {
      socket.unref();
      // A peer that reads nothing would keep us waiting for its good-bye.
      if (socket.writableLength > 0 || !socket.writable) socket.destroy();
      else {
        socket.write(encodeFrame(opcodes.close, normalClosure, randomBytes(4)));
        socket.destroySoon();
      }
    } else request.destroy();
    return true;
  };
  const fail = (trouble: WireTrouble): void => {
    if (finish()) onTrouble(trouble);
  };
  const expire = (): void => fail(lateTrouble);
  const send = (opcode: number, payload: Buffer): void => {
    if (!isOver && socket?.writable) socket.write(encodeFrame(opcode, payload, randomBytes(4)));
  };
  // A peer that pings and reads nothing would have us keep an answer for each.
  const answerPing = (payload: Buffer): void => {
    if (socket?.writableLength === 0) send(opcodes.pong, payload);
  };

  const receive = (chunk: Buffer, read: ReturnType<typeof createFrameReader>): void => {
    for (const arrival of read(chunk)) {
      if (isOver) return;
      if ("text" in arrival) onText(arrival.text);
      else if ("ping" in arrival) answerPing(arrival.ping);
      else if ("close" in arrival) fail({ kind: "closed", reason: closedReason(arrival.close) });
      else fail({ kind: arrival.fault, reason: arrival.reason });
    }
  };

  const upgrade = (response: IncomingMessage, given: Duplex, rest: Buffer): void => {
    const upgraded = given as Socket;
    socket = upgraded;
    upgraded.on("error", (error) => fail(connectionTrouble(error, true)));
    if (response.statusCode !== 101) fail(statusTrouble(response.statusCode ?? 0));
    if (response.headers["sec-websocket-accept"] !== acceptOf(key))
      fail({ kind: "nonsense", reason: "It does not keep to the WebSocket protocol." });
    if (isOver) {
      upgraded.destroy();
      return;
    }
    const read = createFrameReader(options.maxMessageBytes);
    upgraded.on("data", (chunk: Buffer) => receive(chunk, read));
    upgraded.on("close", () => fail({ kind: "closed", reason: closedReason("") }));
    upgraded.on("end", () => fail({ kind: "closed", reason: closedReason("") }));
    onOpen();
    if (rest.length > 0) receive(rest, read);
  };

  request.on("socket", (made) =>
    made.once("connect", () => {
      isConnected = true;
    }),
  );
  request.on("upgrade", upgrade);
  request.on("response", (response) => {
    response.resume();
    fail(statusTrouble(response.statusCode ?? 0));
  });
  request.on("error", (error) => fail(connectionTrouble(error, isConnected)));
  signal.addEventListener("abort", expire);
  if (signal.aborted) queueMicrotask(expire);
  request.end();
  return { send: (text) => send(opcodes.text, Buffer.from(text)), end: () => void finish() };
}

function closedReason(said: string): string {
  return said === "" ? "It closed the connection." : `It closed the connection: ${saidBy(said)}`;
}

function acceptOf(key: string): string {
  return createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
}
