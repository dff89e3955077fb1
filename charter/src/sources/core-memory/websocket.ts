import { createHash, randomBytes } from "node:crypto";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { RelayTrouble } from "./relay.ts";

const normalClosure = Buffer.from([1000 >> 8, 1000 & 0xff]);

/** A connection that stands, as long as nobody ended it. */
type WebSocketLine = { readonly send: (text: string) => void; readonly end: () => void };

type OpenWebSocketOptions = {
  readonly url: URL;
  readonly signal: AbortSignal;
  readonly maxMessageBytes: number;
  readonly onOpen: () => void;
  readonly onText: (text: string) => void;
  /** Called once, if the connection ends by itself or was never made; never after `end`. */
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

/** A piece of what a WebSocket carries (RFC 6455): a text, a part of one, or a word about the connection. */
type Frame = { readonly opcode: number; readonly isLast: boolean; readonly payload: Buffer };

/** What a frame is, by its number. */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A frame as a client sends it: in one, and masked with four random bytes. */
export function encodeFrame(opcode: number, payload: Buffer, mask: Buffer): Buffer {
  const { length } = payload;
  const extra = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const frame = Buffer.alloc(6 + extra + length);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (extra === 0 ? length : extra === 2 ? 126 : 127);
  if (extra === 2) frame.writeUInt16BE(length, 2);
  if (extra === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  mask.copy(frame, 2 + extra);
  for (let at = 0; at < length; at++) frame[6 + extra + at] = (payload[at] as number) ^ (mask[at & 3] as number);
  return frame;
}

const mostParts = 10_000;

/** What came of some bytes: whole texts and words about the connection, in their order; or why the rest is not read. */
type Arrival =
  | { readonly text: string }
  | { readonly ping: Buffer }
  | { readonly close: string }
  | { readonly fault: "cut" | "nonsense"; readonly reason: string };

/**
 * Reads the frames of a server, however its bytes are cut up. A text longer than `maxBytes` is a fault as soon as its
 * length is known, so that it is never kept. After a fault nothing more comes.
 */
export function createFrameReader(maxBytes: number): (chunk: Buffer) => Arrival[] {
  let chunks: Buffer[] = [];
  let size = 0;
  let wanted = 2;
  let parts: Buffer[] | undefined;
  let kept = 0;
  let isOver = false;

  const fail = (fault: "cut" | "nonsense", reason: string): Arrival => {
    isOver = true;
    chunks = [];
    parts = undefined;
    return { fault, reason };
  };

  const take = ({ opcode, isLast, payload }: Frame): Arrival | undefined => {
    if (opcode === opcodes.ping) return { ping: payload };
    if (opcode === opcodes.pong) return undefined;
    if (opcode === opcodes.close) return { close: payload.subarray(2).toString() };
    if (opcode === opcodes.continuation ? parts === undefined : opcode !== opcodes.text || parts !== undefined)
      return fail("nonsense", "It sent something that is no text.");
    parts ??= [];
    parts.push(payload);
    kept += payload.length;
    if (parts.length > mostParts) return fail("nonsense", "It sent a message in too many parts.");
    if (!isLast) return undefined;
    const whole = parts.length === 1 ? payload : Buffer.concat(parts);
    parts = undefined;
    kept = 0;
    return { text: whole.toString() };
  };

  return (chunk) => {
    const arrivals: Arrival[] = [];
    if (isOver) return arrivals;
    chunks.push(chunk);
    size += chunk.length;
    while (!isOver && size >= wanted) {
      const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      chunks = [bytes];
      const head = readHead(bytes);
      if (head === "more") {
        wanted = size + 1;
        break;
      }
      if (head === "nonsense") arrivals.push(fail("nonsense", "It does not keep to the WebSocket protocol."));
      else if (head.length + kept > maxBytes)
        arrivals.push(fail("cut", `It sent a message of more than ${maxBytes.toLocaleString("en")} bytes.`));
      else {
        wanted = head.start + head.length;
        if (size < wanted) break;
        const arrival = take({ ...head, payload: bytes.subarray(head.start, wanted) });
        if (arrival !== undefined) arrivals.push(arrival);
        chunks = [bytes.subarray(wanted)];
        size -= wanted;
        wanted = 2;
      }
    }
    return arrivals;
  };
}

type FrameHead = { readonly opcode: number; readonly isLast: boolean; readonly start: number; readonly length: number };

function readHead(bytes: Buffer): FrameHead | "more" | "nonsense" {
  const [first, second] = [bytes[0] as number, bytes[1] as number];
  const opcode = first & 0x0f;
  const isLast = (first & 0x80) !== 0;
  const short = second & 0x7f;
  // Reserved bits belong to extensions, and we asked for none; a server never masks.
  if ((first & 0x70) !== 0 || (second & 0x80) !== 0) return "nonsense";
  if (opcode > opcodes.pong || (opcode > opcodes.binary && opcode < opcodes.close)) return "nonsense";
  if (opcode >= opcodes.close && (!isLast || short > 125)) return "nonsense";
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < start) return "more";
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  return { opcode, isLast, start, length };
}

/** What went wrong between us and a relay. */
export type WireTrouble = { readonly kind: RelayTrouble; readonly reason: string };

/** Errors with which nobody was reached. Any other error before a connection is open may have come from the relay. */
const unreachable: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: "its address cannot be reached from here",
  EAI_AGAIN: "its name cannot be looked up now",
  ECONNREFUSED: "nothing listens there",
  EHOSTDOWN: "its host is down",
  EHOSTUNREACH: "there is no way to its host",
  ENETDOWN: "the network is down",
  ENETUNREACH: "there is no way to its network",
  ENOTFOUND: "its name is not known",
  ETIMEDOUT: "its host does not answer",
};

/** Trouble of a socket's error, told apart by whether a connection was made before it. */
export function connectionTrouble(error: unknown, wasConnected: boolean): WireTrouble {
  const codes = codesOf(error);
  const [code] = codes;
  if (!wasConnected && code !== undefined && codes.every((one) => Object.hasOwn(unreachable, one)))
    return { kind: "unreachable", reason: `No connection: ${unreachable[code]} (${code}).` };
  if (code?.startsWith("HPE_")) return { kind: "nonsense", reason: `It does not speak HTTP (${code}).` };
  const cause = code ?? "no reason given";
  return { kind: "closed", reason: wasConnected ? `The connection broke (${cause}).` : `No connection (${cause}).` };
}

/** Lists an error's codes: a host with several addresses fails with one for each. */
function codesOf(error: unknown): string[] {
  const { code, errors } = Object(error) as { readonly code?: unknown; readonly errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap(codesOf);
  return typeof code === "string" ? [code] : [];
}

/** Trouble of an HTTP answer that is not the one asked for. */
export function statusTrouble(status: number): WireTrouble {
  return status === 401 || status === 403
    ? { kind: "refused", reason: `It refused the request (HTTP ${status}).` }
    : { kind: "closed", reason: `It answered with HTTP ${status}.` };
}

/** Trouble of a relay whose time was up. */
export const lateTrouble: WireTrouble = { kind: "late", reason: "It did not finish in time." };

/** Formats a relay's own words for a report: one short line of text, whatever it sent. */
export function saidBy(relay: unknown): string {
  const line = typeof relay === "string" ? relay.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ").trim() : "";
  return line === "" ? "it did not say why" : line.slice(0, 200);
}
