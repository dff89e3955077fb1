import { createHash } from "node:crypto";
import { type ClientRequest, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { ClientOptions } from "ws";
import { requirePackage } from "../../packages/load-package.ts";
import type { EventTemplate, NostrEvent } from "./memory-key.ts";
import {
  type RelayAddress,
  type RelayAnswer,
  type RelayClient,
  type RelayReceipt,
  type RelayTrouble,
  readRelayAddress,
  shownRelay,
} from "./relay.ts";

/**
 * Creates a client of relays by their address: WebSocket for ws: and wss:, HTTP for http: and https:. Each request has a
 * connection of its own, which ends with it. If a relay requires a login, the signer logs in.
 */
export function createRelayClient(signer: RelaySigner): RelayClient {
  const reason =
    "This is no address of a relay: it begins with ws://, wss://, http:// or https:// and has no password.";
  return {
    ask: async (relay, filters, signal) => {
      const address = readRelayAddress(relay);
      if (address === undefined) return { relay: shownRelay(relay), events: [], trouble: { kind: "refused", reason } };
      const ask = address.isHttp ? askHttpRelay : askWebSocketRelay;
      return ask(address, signer)(relay, filters, signal);
    },
    send: async (relay, event, signal) => {
      const address = readRelayAddress(relay);
      if (address === undefined) return { relay: shownRelay(relay), ok: false, reason };
      const send = address.isHttp ? sendHttpRelay : sendWebSocketRelay;
      return send(address, signer)(relay, event, signal);
    },
  };
}

/** Asks a relay over HTTP: `POST /query` answers with all its events in one array. */
function askHttpRelay(address: RelayAddress, signer: RelaySigner): RelayClient["ask"] {
  return async (_relay, filters, signal) => {
    const relay = address.shown;
    const answer = await postSigned(address, signer, { path: "/query", body: JSON.stringify(filters), signal });
    if ("kind" in answer) return { relay, events: [], trouble: answer };
    const events = readJson(answer.text);
    if (!Array.isArray(events))
      return {
        relay,
        events: [],
        trouble: { kind: "nonsense", reason: "It answered with something that is no list." },
      };
    return events.length > relayLimits.events
      ? { relay, events: events.slice(0, relayLimits.events), trouble: tooManyEvents }
      : { relay, events };
  };
}

/** Sends a relay an event over HTTP: `POST /events`. Any success status counts as accepted, unless the answer says otherwise. */
function sendHttpRelay(address: RelayAddress, signer: RelaySigner): RelayClient["send"] {
  return async (_relay, event, signal) => {
    const relay = address.shown;
    const answer = await postSigned(address, signer, { path: "/events", body: JSON.stringify(event), signal });
    if ("kind" in answer) return { relay, ok: false, reason: answer.reason };
    const { accepted, message } = Object(readJson(answer.text)) as { accepted?: unknown; message?: unknown };
    return accepted === false ? { relay, ok: false, reason: saidBy(message) } : { relay, ok: true };
  };
}

type SignedPost = { readonly path: string; readonly body: string; readonly signal: AbortSignal };

/** Posts a request with a signature of its sender and its content (NIP-98). */
async function postSigned({ url }: RelayAddress, { sign, clock }: RelaySigner, { path, body, signal }: SignedPost) {
  const target = new URL(url);
  target.pathname = `${url.pathname.replace(/\/$/, "")}${path}`;
  const authorization = sign({
    kind: 27235,
    created_at: Math.floor(clock().getTime() / 1000),
    tags: [
      ["u", target.href],
      ["method", "POST"],
      ["payload", createHash("sha256").update(body).digest("hex")],
    ],
    content: "",
  });
  const headers = { authorization: `Nostr ${Buffer.from(JSON.stringify(authorization)).toString("base64")}` };
  const answer = await post({ url: target, headers, body, signal, maxBytes: relayLimits.answerBytes });
  if ("kind" in answer) return answer;
  return answer.status >= 200 && answer.status < 300 ? answer : statusTrouble(answer.status);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Answer to a request, whatever its status. */
type PostAnswer = { readonly status: number; readonly text: string };

type PostOptions = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
};

/** Posts JSON over a connection of its own, which ends with it. Follows no redirect, and never throws. */
export function post({ url, headers, body, signal, maxBytes }: PostOptions): Promise<PostAnswer | WireTrouble> {
  return new Promise((resolve) => {
    let isConnected = false;
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
      method: "POST",
      agent: false,
      headers: { ...headers, "content-type": "application/json", accept: "application/json" },
    });
    const finish = (answer: PostAnswer | WireTrouble): void => {
      signal.removeEventListener("abort", expire);
      request.destroy();
      resolve(answer);
    };
    const expire = (): void => finish(lateTrouble);
    signal.addEventListener("abort", expire);
    request.on("socket", (socket) =>
      socket.once("connect", () => {
        isConnected = true;
      }),
    );
    request.on("error", (error) => finish(connectionTrouble(error, isConnected)));
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes)
          finish({ kind: "cut", reason: `It answered with more than ${maxBytes.toLocaleString("en")} bytes.` });
        else chunks.push(chunk);
      });
      response.on("error", (error) => finish(connectionTrouble(error, true)));
      response.on("aborted", () => finish({ kind: "closed", reason: "It closed the connection." }));
      response.on("end", () => finish({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    // The request starts only now that its errors are handled: one that is given up fails, and nothing else may get that error.
    if (signal.aborted) expire();
    else request.end(body);
  });
}

/**
 * Asks a relay over a connection of its own (NIP-01), and ends it. Only the relay's own EOSE is an end. A relay that sends a
 * challenge before it may hold back what is only for those who log in: if it gave nothing that the first filter asks for, its
 * EOSE counts only after the login. A relay that gave nothing and sent an error meanwhile may have said that it cannot look: that
 * is no clean end.
 */
function askWebSocketRelay(address: RelayAddress, signer: RelaySigner): RelayClient["ask"] {
  return (_relay, filters, signal) =>
    new Promise<RelayAnswer>((resolve) => {
      const events: unknown[] = [];
      const isWanted = (given: unknown) => filters[0]?.kinds.includes(Object(given).kind) === true;
      let asked = 0;
      let noise: WireTrouble | undefined;
      const finish = (trouble?: WireTrouble): void => {
        talk.end();
        resolve({ relay: address.shown, events, ...(trouble && { trouble }) });
      };
      const ask = (): void => {
        asked++;
        noise = undefined;
        talk.send(["REQ", String(asked), ...filters]);
      };
      const talk = startTalk({
        address,
        signer,
        signal,
        isEager: true,
        onReady: ask,
        onTrouble: finish,
        onNoise: (trouble) => {
          noise ??= trouble;
        },
        onMessage: ([type, subscription, given], login) => {
          if (type === "EVENT" && isOurs(subscription, asked)) {
            if (events.length === relayLimits.events) return finish(tooManyEvents);
            events.push(given);
          }
          if (subscription !== String(asked)) return;
          const isGiven = events.some(isWanted);
          if (type === "EOSE" && (login.status() !== "waiting" || isGiven)) finish(isGiven ? undefined : noise);
          if (type === "CLOSED") closeBy(given, login, finish);
        },
      });
    });
}

/** Checks that an answer belongs to our subscription: after a login a relay may still be answering the request before it. */
const isOurs = (subscription: unknown, asked: number): boolean =>
  typeof subscription === "string" && Number(subscription) >= 1 && Number(subscription) <= asked;

/** Sends a relay one event over a connection of its own, and waits for its answer. */
function sendWebSocketRelay(address: RelayAddress, signer: RelaySigner): RelayClient["send"] {
  return (_relay, event, signal) =>
    new Promise<RelayReceipt>((resolve) => {
      const refuse = (reason: string): void => {
        talk.end();
        resolve({ relay: address.shown, ok: false, reason });
      };
      const talk = startTalk({
        address,
        signer,
        signal,
        isEager: false,
        onReady: () => talk.send(["EVENT", event]),
        onTrouble: ({ reason }) => refuse(reason),
        onMessage: ([type, id, isOk, reason], login) => {
          if (type !== "OK" || id !== event.id) return;
          if (isOk === true || isReason(reason, "duplicate")) {
            talk.end();
            resolve({ relay: address.shown, ok: true });
          } else if (isReason(reason, "auth-required")) login.require();
          else refuse(saidBy(reason));
        },
      });
    });
}

function closeBy(reason: unknown, login: RelayLogin, finish: (trouble: WireTrouble) => void): void {
  if (login.status() === "waiting") return;
  const isRefusal = isReason(reason, "restricted") || isReason(reason, "blocked");
  if (isReason(reason, "auth-required")) login.require();
  else finish({ kind: isRefusal ? "refused" : "closed", reason: `It ended the request: ${saidBy(reason)}` });
}

/** Checks the first word of a reason, which is meant for machines: “auth-required: …”. */
const isReason = (reason: unknown, word: string): boolean =>
  typeof reason === "string" && (reason === word || reason.startsWith(`${word}:`));

type TalkOptions = {
  readonly address: RelayAddress;
  readonly signer: RelaySigner;
  readonly signal: AbortSignal;
  readonly isEager: boolean;
  /** Called when the connection is open, or a login was granted, to ask, or ask again. */
  readonly onReady: () => void;
  readonly onMessage: (message: readonly unknown[], login: RelayLogin) => void;
  readonly onTrouble: (trouble: WireTrouble) => void;
  /** Called when the relay said something that is no answer, and goes on. */
  readonly onNoise?: (trouble: WireTrouble) => void;
};

/** Opens a connection with JSON arrays as messages, and handles logins. */
function startTalk({ address, signer, signal, isEager, onReady, onMessage, onTrouble, onNoise }: TalkOptions) {
  let bytes = 0;
  let isNonsense = false;
  const send = (message: readonly unknown[]): void => line.send(JSON.stringify(message));
  const login = createRelayLogin({
    ...signer,
    url: address.written,
    isEager,
    send,
    onGranted: onReady,
    onRefused: (reason) => onTrouble({ kind: "refused", reason }),
  });
  const line = openWebSocket({
    url: address.url,
    signal,
    maxMessageBytes: relayLimits.messageBytes,
    onOpen: () => onReady(),
    onText: (text) => {
      bytes += text.length;
      const message = readMessage(text);
      if (bytes > relayLimits.answerBytes)
        onTrouble({ kind: "cut", reason: `It sent more than ${relayLimits.answerBytes.toLocaleString("en")} bytes.` });
      else if (message === undefined) {
        isNonsense = true;
        onNoise?.(nonsense);
      } else if (message[0] === "NOTICE")
        onNoise?.({ kind: "refused", reason: `It sent a notice in place of an event: ${saidBy(message[1])}` });
      else if (message[0] === "AUTH" && typeof message[1] === "string") login.challenge(message[1]);
      else if (message[0] !== "OK" || !login.settle(message[1], message[2] === true, message[3]))
        onMessage(message, login);
    },
    onTrouble: (trouble) => {
      const isUnfinished = trouble.kind === "late" || trouble.kind === "closed";
      if (isUnfinished && login.status() === "wanted")
        onTrouble({ kind: "refused", reason: "It wants a login, and sent no challenge." });
      else if (isUnfinished && isNonsense) onTrouble(nonsense);
      else onTrouble(trouble);
    },
  });
  return { send, end: line.end };
}

const nonsense: WireTrouble = { kind: "nonsense", reason: "It sent something that is no message of a relay." };

function readMessage(text: string): readonly unknown[] | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return Array.isArray(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Maximum sizes of a message and an answer in bytes, and number of events: an agent's memories are far smaller. */
const relayLimits = { messageBytes: 1_000_000, answerBytes: 4_000_000, events: 500 } as const;

/** Trouble of an answer with too many events, which is therefore not whole. */
const tooManyEvents = {
  kind: "cut",
  reason: `It gave more than ${relayLimits.events} events.`,
} as const;

/** Signer of requests to a relay: it signs as the agent, at the clock's time. */
export type RelaySigner = { readonly sign: (template: EventTemplate) => NostrEvent; readonly clock: () => Date };

/** Login to a relay (NIP-42). */
export type RelayLogin = {
  /** State of the login: not required; required but impossible without a challenge; waiting for the relay; granted. */
  readonly status: () => "none" | "wanted" | "waiting" | "granted";
  /** Handles the relay's challenge. */
  readonly challenge: (challenge: string) => void;
  /** Handles the relay's demand for a login. */
  readonly require: () => void;
  /** Handles an OK; returns true if it is that of the login. */
  readonly settle: (id: unknown, isOk: boolean, reason: unknown) => boolean;
};

type CreateLoginOptions = RelaySigner & {
  /** Address of the relay, as it was written. */
  readonly url: string;
  /** Answers a challenge at once; otherwise only when a login is required. */
  readonly isEager: boolean;
  readonly send: (message: readonly unknown[]) => void;
  readonly onGranted: () => void;
  readonly onRefused: (reason: string) => void;
};

const longestChallenge = 1000;

/** Logs in to one connection, once: a relay that is not content with that has refused. */
function createRelayLogin(options: CreateLoginOptions): RelayLogin {
  const { sign, clock, url, send } = options;
  let challenge: string | undefined;
  let isRequired = false;
  let sent: string | undefined;
  let isGranted = false;

  const answer = (): void => {
    if (sent !== undefined || challenge === undefined || !(isRequired || options.isEager)) return;
    const event = sign({
      kind: 22242,
      created_at: Math.floor(clock().getTime() / 1000),
      tags: [
        ["relay", url],
        ["challenge", challenge],
      ],
      content: "",
    });
    sent = event.id;
    send(["AUTH", event]);
  };

  return {
    status: () => {
      if (sent !== undefined) return isGranted ? "granted" : "waiting";
      return isRequired ? "wanted" : "none";
    },
    challenge: (given) => {
      if (given.length > longestChallenge) return;
      challenge = given;
      answer();
    },
    require: () => {
      isRequired = true;
      if (isGranted) options.onRefused("It wants a login, though it took the one it was given.");
      else answer();
    },
    settle: (id, isOk, reason) => {
      if (sent === undefined || id !== sent) return false;
      if (!isOk) options.onRefused(`It refused the login: ${saidBy(reason)}`);
      else if (!isGranted) {
        isGranted = true;
        options.onGranted();
      }
      return true;
    },
  };
}

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
function statusTrouble(status: number): WireTrouble {
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
