import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it came over the wire, to the byte. */
export type RecordedRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/**
 * What is answered. A body in pieces is streamed piece by piece, as server-sent events unless a header says otherwise.
 * "cut": the connection breaks after the last piece. "open": nothing more comes, and it does not end either.
 */
export type Reply = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | readonly string[];
  readonly ends?: "cut" | "open";
};

/** Replies in order, one a request; a function of the request; or the server behind this one, which answers itself. */
export type RecorderOptions =
  | { readonly answer: readonly Reply[] | ((request: RecordedRequest, index: number) => Reply | Promise<Reply>) }
  | { readonly upstream: string };

export type Recorder = {
  /** Where it listens, without a path. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  readonly close: () => Promise<void>;
};

/** A server on the loopback that stands for a provider and keeps every request it gets. */
export async function startRecorder(answering: RecorderOptions): Promise<Recorder> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const { method = "", url: path = "", headers } = incoming;
    const request = { method, path, headers, body: Buffer.concat(pieces).toString() };
    const index = requests.push(request) - 1;
    try {
      if ("upstream" in answering) await forward(request, answering.upstream, response);
      else await give(await replyTo(answering.answer, request, index), response);
    } catch (error) {
      response.destroy(error as Error);
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function replyTo(
  answer: Extract<RecorderOptions, { answer: unknown }>["answer"],
  request: RecordedRequest,
  index: number,
) {
  if (typeof answer === "function") return answer(request, index);
  return (
    answer[index] ?? { status: 500, body: `{"error":{"message":"The script has no answer number ${index + 1}."}}` }
  );
}

async function give(reply: Reply, response: ServerResponse): Promise<void> {
  const { status = 200, headers = {}, body = "" } = reply;
  const streamed = typeof body !== "string";
  response.writeHead(status, { "content-type": streamed ? "text/event-stream" : "application/json", ...headers });
  for (const piece of streamed ? body : [body])
    await new Promise<void>((written) => response.write(piece, () => written()));
  if (reply.ends === "cut") response.destroy();
  else if (reply.ends === undefined) response.end();
}

async function forward({ method, path, headers, body }: RecordedRequest, upstream: string, response: ServerResponse) {
  const { host: _host, connection: _connection, "content-length": _length, ...rest } = headers;
  const answer = await fetch(new URL(path, upstream), { method, headers: rest as Record<string, string>, body });
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" });
  for await (const piece of answer.body ?? []) response.write(piece);
  response.end();
}
