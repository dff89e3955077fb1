import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";
import { answerOf, apiOf, type LoopbackAnswer, type LoopbackApi } from "./loopback-answer.ts";
import { loopbackText } from "./loopback-text.ts";

/** A request that somebody made of the loopback model. */
export type LoopbackRequest = { readonly api: LoopbackApi; readonly body: unknown };

/** A model on this machine that says the same to everybody and keeps what it was asked. It costs nothing. */
export type LoopbackModel = {
  /** Without a path and without a slash at its end. */
  readonly url: string;
  readonly requests: readonly LoopbackRequest[];
  /** What else was asked for, such as a list of models: method and path. */
  readonly others: readonly string[];
  readonly close: () => Promise<void>;
};

const decoders: Readonly<Record<string, (data: Buffer) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

/** Listens on 127.0.0.1 only, on a port that is free. */
export async function openLoopbackModel(): Promise<LoopbackModel> {
  const requests: LoopbackRequest[] = [];
  const others: string[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    others,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const api = request.method === "POST" ? apiOf(pathname) : undefined;
    if (api === undefined) {
      others.push(`${request.method} ${pathname}`);
      return sendOther(pathname, response);
    }
    const body = await readBody(request);
    requests.push({ api, body });
    const { model, stream } = Object(body) as { readonly model?: unknown; readonly stream?: unknown };
    const streams = api === "gemini" ? /:stream/.test(pathname) : stream === true;
    const name = typeof model === "string" ? model : "loopback";
    const given = answerOf(api, loopbackText(api, body), { model: name, stream: streams });
    // Without “alt=sse”, Gemini's streams are one array.
    const isArray = api === "gemini" && streams && searchParams.get("alt") !== "sse";
    send("events" in given && isArray ? { json: given.events.map(({ data }) => data) } : given, response);
  }
}

/** What agents ask before they ask: how many tokens, which models. What is not known is not found. */
function sendOther(path: string, response: ServerResponse): void {
  if (/(count_tokens|:countTokens)$/.test(path)) send({ json: { input_tokens: 1, totalTokens: 1 } }, response);
  else if (/\/models$/.test(path)) send({ json: { object: "list", data: [], models: [], has_more: false } }, response);
  else
    send(
      { json: { error: { type: "not_found_error", message: "The loopback model has no such path." } } },
      response,
      404,
    );
}

function send(answer: LoopbackAnswer, response: ServerResponse, status = 200): void {
  if ("json" in answer) {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(answer.json));
    return;
  }
  response.writeHead(status, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const { name, data } of answer.events) {
    response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
  }
  response.end(answer.closing === undefined ? undefined : `data: ${answer.closing}\n\n`);
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const data = Buffer.concat(await request.toArray());
  const decode = decoders[request.headers["content-encoding"] ?? ""];
  try {
    return JSON.parse((decode ? await decode(data) : data).toString("utf8"));
  } catch {
    return null;
  }
}
