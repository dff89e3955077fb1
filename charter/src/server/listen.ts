import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Problem } from "../prompt/problem.ts";
import type { App } from "./app.ts";
import { errorBody, type ProblemFacts, statusOf } from "./http/error.ts";
import { hostUrl } from "./http/this-server.ts";

/** A server that is listening. */
export type ListeningServer = {
  readonly url: string;
  /** Takes no new requests, waits for those that run, and cuts off what is not over by then. */
  readonly close: (graceMs?: number) => Promise<void>;
};

/** Where to listen, and how slow and how many clients may be. */
export type ListenOptions = {
  readonly host?: string;
  /** 0 is any that is free. */
  readonly port?: number;
  /** How long a client may take to say what it wants: the headers, and all of it. */
  readonly headersMs?: number;
  readonly requestMs?: number;
  /** Connections at once; more are closed as they come. */
  readonly connections?: number;
};

/**
 * Opens a port for an app. Clients that are too slow, send too much or do not speak HTTP are refused before the app is
 * called.
 */
export async function listen(app: App, options: ListenOptions = {}): Promise<ListeningServer> {
  const { host = "127.0.0.1", port = 4747, headersMs = 10_000, requestMs = 60_000, connections = 10_000 } = options;
  const answer = getRequestListener((request, wire) => app.fetch(request, wire as never), {
    // Faster ones exist, but would be put into every other library's hands in this process.
    overrideGlobalObjects: false,
    errorHandler: () => Response.json(errorBody(unreadable), { status: 400, headers: { connection: "close" } }),
  });
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(headersMs, requestMs, 5_000),
    // Longer than proxies keep theirs: else a proxy now and then sends a request into a connection that just closed.
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16_384,
    // Turned away all the same, in the shape everything else is.
    requireHostHeader: false,
  });
  server.maxHeadersCount = 100;
  server.maxConnections = connections;
  server.on("request", answer);
  const { bodyBytes, turnBodyBytes } = app.limits;
  const largest = ({ url = "" }: IncomingMessage) => (/\/turns(?:\?|$)/.test(url) ? turnBodyBytes : bodyBytes);
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    // Who asks before sending a body that is too large is told so, and need not send it.
    if (Number(request.headers["content-length"] ?? 0) <= largest(request)) response.writeContinue();
    void answer(request, response);
  });
  const unused = unusedIn(server);
  server.on("clientError", async (error: NodeJS.ErrnoException, socket: Socket) => {
    const isUnread = error.code === "ERR_HTTP_REQUEST_TIMEOUT" && socket.bytesRead === 0;
    if (isUnread) await waitOnceMore(socket, headersMs);
    if (!isUnread || unused.has(socket)) rejectSocket(error, socket);
  });
  await bind(server, host, port);
  return {
    url: urlOf(server, host),
    close: async (graceMs = 30_000) => {
      const closed = close(server, app, graceMs);
      for (const socket of unused) socket.destroy();
      await closed;
    },
  };
}

/** Browsers open connections before they have anything to ask; Node takes such a one for busy, and would wait for it. */
function unusedIn(server: Server): ReadonlySet<Socket> {
  const unused = new Set<Socket>();
  const use = ({ socket }: IncomingMessage) => unused.delete(socket);
  server.on("connection", (socket: Socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  server.on("request", use);
  server.on("checkContinue", use);
  return unused;
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(bindProblem(error, host, port)));
    server.listen(port, host, resolve);
  });
}

function urlOf(server: Server, host: string): string {
  return hostUrl(host, (server.address() as AddressInfo).port);
}

async function close(server: Server, app: App, graceMs: number): Promise<void> {
  app.close();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // A connection that is kept alive is idle when its answer is sent, and has to be closed then.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const late = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}

/**
 * Nothing was read from a client, and its time is over. Where this process was busy meanwhile, what it sent still waits to be
 * read: then its time begins anew. Whoever has sent nothing is told nothing: a browser opens connections ahead of its need,
 * and would take it for the answer to what it asks there just then.
 */
async function waitOnceMore(socket: Socket, headersMs: number): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  if (socket.bytesRead === 0) socket.destroy();
  else await new Promise((resolve) => setTimeout(resolve, headersMs).unref());
}

/** What is no HTTP, or too slow or too long to be read, gets the same shape of answer as everything else. */
function rejectSocket(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const told =
    error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? slow : error.code === "HPE_HEADER_OVERFLOW" ? long : unreadable;
  const body = JSON.stringify(errorBody(told));
  const head = [
    `HTTP/1.1 ${statusOf(told.code)} Refused`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

const unreadable: ProblemFacts = {
  code: "bad-request",
  message: "The request is not valid HTTP.",
  hint: "Send HTTP/1.1, with a valid address and one Host header.",
};
const slow: ProblemFacts = {
  code: "too-slow",
  message: "The request did not come in time.",
  hint: "Send it in one go.",
};
const long: ProblemFacts = {
  code: "headers-too-large",
  message: "The headers have more than 16 KiB.",
  hint: "Send fewer; cookies of other servers on this machine may be among them.",
};

function bindProblem(error: NodeJS.ErrnoException, host: string, port: number): Problem {
  if (error.code === "EADDRINUSE")
    return new Problem(
      "port-taken",
      `Port ${port} on ${host} is taken.`,
      "Choose another with --port; 0 is any that is free.",
    );
  if (error.code === "EACCES")
    return new Problem("port-taken", `Port ${port} on ${host} may not be used.`, "Choose one above 1023 with --port.");
  return new Problem(
    "bad-host",
    `“${host}” is no address of this machine.`,
    "Give one it has: 127.0.0.1, or 0.0.0.0 for all.",
  );
}
