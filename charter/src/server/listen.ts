import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Problem } from "../prompt/problem.ts";
import type { NodeBindings } from "./api.ts";
import type { App } from "./app.ts";
import { errorBody, type ProblemFacts, statusOf } from "./http/error.ts";
import { hostUrl } from "./http/this-server.ts";

/** A server that is listening. */
export type ListeningServer = {
  readonly url: string;
  /** Refuses new requests, waits for the running ones, and cuts off those that are not done in time. */
  readonly close: (graceMs?: number) => Promise<void>;
};

/** Options for listening: the address, and how many and how slow clients may be. */
export type ListenOptions = {
  readonly host?: string;
  /** Port; 0 takes any free one. */
  readonly port?: number;
  /** Maximum time for a client to send its headers, and its whole request, in milliseconds. */
  readonly headersMs?: number;
  readonly requestMs?: number;
  /** Maximum number of open connections; further ones are closed at once. */
  readonly connections?: number;
};

/**
 * Opens a port for an app. Clients that are too slow, send too much or do not speak HTTP are refused before the app is called.
 */
export async function listen(app: App, options: ListenOptions = {}): Promise<ListeningServer> {
  const { host = "127.0.0.1", port = 4747, headersMs = 10_000, requestMs = 60_000, connections = 10_000 } = options;
  const answer = getRequestListener((request, wire) => app.fetch(request, withSend(wire as HttpBindings)), {
    // The adapter's faster classes would replace the global ones for every library in this process.
    overrideGlobalObjects: false,
    errorHandler: () => Response.json(errorBody(unreadable), { status: 400, headers: { connection: "close" } }),
  });
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(headersMs, requestMs, 5_000),
    // The timeout is longer than that of proxies, which would otherwise sometimes send a request into a connection that just
    // closed.
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16_384,
    // A request without a host is refused later, in the form of all other errors.
    requireHostHeader: false,
  });
  server.maxHeadersCount = 100;
  server.maxConnections = connections;
  server.on("request", answer);
  const { bodyBytes, turnBodyBytes } = app.limits;
  const maxBodyBytes = ({ url = "" }: IncomingMessage) => (/\/turns(?:\?|$)/.test(url) ? turnBodyBytes : bodyBytes);
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    // A client that asks before it sends (`expect`) learns of a body that is too large without sending it.
    if (Number(request.headers["content-length"] ?? 0) <= maxBodyBytes(request)) response.writeContinue();
    void answer(request, response);
  });
  const unused = unusedIn(server);
  server.on("clientError", async (error: NodeJS.ErrnoException, socket: Socket) => {
    const isUnread = error.code === "ERR_HTTP_REQUEST_TIMEOUT" && socket.bytesRead === 0;
    if (isUnread) await waitOnceMore(socket, headersMs);
    if (!isUnread || unused.has(socket)) rejectSocket(error, socket);
  });
  await bind(server, { host, port, connections });
  return {
    url: urlOf(server, host),
    close: async (graceMs = 30_000) => {
      const closed = close(server, app, graceMs);
      for (const socket of unused) socket.destroy();
      await closed;
    },
  };
}

function withSend({ incoming, outgoing }: HttpBindings): NodeBindings {
  const send: NodeBindings["send"] = ({ status, headers }, text) => {
    outgoing.statusCode = status;
    outgoing.setHeaders(headers);
    outgoing.end(text);
    return RESPONSE_ALREADY_SENT;
  };
  return { incoming, outgoing, send };
}

/**
 * Collects connections without a request. Browsers open some in advance; Node counts these as busy, and closing would wait for
 * them.
 */
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

function bind(
  server: Server,
  { host, port, connections }: Required<Pick<ListenOptions, "host" | "port" | "connections">>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(bindProblem(error, host, port)));
    // Those that come at once while the process is busy wait to be accepted, as many as may be open.
    server.listen({ port, host, backlog: connections }, resolve);
  });
}

function urlOf(server: Server, host: string): string {
  return hostUrl(host, (server.address() as AddressInfo).port);
}

async function close(server: Server, app: App, graceMs: number): Promise<void> {
  app.close();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // A kept-alive connection becomes idle when its answer is sent, and has to be closed then.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const late = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}

/**
 * Handles a timeout before anything was read. If this process was busy, the client's data may still wait to be read, so its time
 * starts anew. A client that has sent nothing gets no answer: a browser opens connections in advance, and would take it for the
 * answer to its next request.
 */
async function waitOnceMore(socket: Socket, headersMs: number): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  if (socket.bytesRead === 0) socket.destroy();
  else await new Promise((resolve) => setTimeout(resolve, headersMs).unref());
}

/** Answers requests that are not HTTP, too slow or too long in the form of all other errors. */
function rejectSocket(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const problem =
    error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? slow : error.code === "HPE_HEADER_OVERFLOW" ? long : unreadable;
  const body = JSON.stringify(errorBody(problem));
  const head = [
    `HTTP/1.1 ${statusOf(problem.code)} Refused`,
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
