import type { ClientRequest } from "node:http";
import type { ClientOptions } from "ws";
import { requirePackage } from "../../packages/load-package.ts";
import type { RelayTrouble } from "./relay.ts";

/** An open connection, until somebody ends it. */
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
 * Opens a WebSocket with the package ws. The platform's own cannot tell a relay that refuses from one that is not there, reads a
 * message of any size into memory, and keeps a process alive for seconds after it was closed while still connecting. All three
 * matter here: an unreachable relay may be empty, a refusing one may not.
 */
export function openWebSocket(options: OpenWebSocketOptions): WebSocketLine {
  const { url, signal, maxMessageBytes, onOpen, onText, onTrouble } = options;
  const { WebSocket } = requirePackage("ws", { purpose: "Asking relays" });
  let isConnected = false;
  let isOver = false;
  const settings: ClientOptions & { readonly closeTimeout: number; readonly maxFragments: number } = {
    perMessageDeflate: false,
    // Events with invalid UTF-8 are dropped one by one later; the relay's other events are used.
    skipUTF8Validation: true,
    autoPong: false,
    maxPayload: maxMessageBytes,
    maxFragments: 10_000,
    // The closing message is sent, and its answer not waited for.
    closeTimeout: 0,
    finishRequest: (request: ClientRequest) => {
      request.on("socket", (made) =>
        made.once("connect", () => {
          isConnected = true;
        }),
      );
      request.end();
    },
  };
  const socket = new WebSocket(url, settings);

  const finish = (): boolean => {
    if (isOver) return false;
    isOver = true;
    signal.removeEventListener("abort", expire);
    if (socket.readyState === WebSocket.OPEN) socket.close(1000);
    else socket.terminate();
    return true;
  };
  const fail = (trouble: WireTrouble): void => {
    if (finish()) onTrouble(trouble);
  };
  const expire = (): void => fail(lateTrouble);

  socket.on("open", onOpen);
  socket.on("message", (data, isBinary) => {
    if (isOver) return;
    if (isBinary) fail({ kind: "nonsense", reason: "It sent something that is no text." });
    else onText(String(data));
  });
  // Answers a ping only if the last answer is sent: a peer that pings and reads nothing would otherwise fill the memory.
  socket.on("ping", (data) => {
    if (!isOver && socket.bufferedAmount === 0) socket.pong(data);
  });
  socket.on("unexpected-response", (_request, { statusCode = 0 }) => fail(statusTrouble(statusCode)));
  socket.on("error", (error) => fail(protocolTrouble(error, isConnected, maxMessageBytes)));
  socket.on("close", (_code, said) => fail({ kind: "closed", reason: closedReason(String(said)) }));
  signal.addEventListener("abort", expire);
  if (signal.aborted) queueMicrotask(expire);
  return {
    send: (text) => {
      if (!isOver && socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    end: () => void finish(),
  };
}

/** Trouble of an error that ws found, or of the socket below it. */
function protocolTrouble(error: Error, wasConnected: boolean, maxBytes: number): WireTrouble {
  const [code] = codesOf(error);
  if (code?.endsWith("_LENGTH") && code.startsWith("WS_ERR_UNSUPPORTED_"))
    return { kind: "cut", reason: `It sent a message of more than ${maxBytes.toLocaleString("en")} bytes.` };
  if (code === "WS_ERR_TOO_MANY_BUFFERED_PARTS")
    return { kind: "nonsense", reason: "It sent a message in too many parts." };
  // Errors that ws finds in the answer to an upgrade have no code.
  if (wasConnected && (code === undefined || code.startsWith("WS_ERR_")))
    return { kind: "nonsense", reason: "It does not keep to the WebSocket protocol." };
  return connectionTrouble(error, wasConnected);
}

function closedReason(said: string): string {
  return said === "" ? "It closed the connection." : `It closed the connection: ${saidBy(said)}`;
}

/** Trouble between us and a relay. */
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
