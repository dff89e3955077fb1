import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";

/** A request that was made to the loopback model. */
export type LoopbackRequest = { readonly api: LoopbackApi; readonly body: unknown };

/**
 * A server on this machine in place of a model: it gives everyone the same answer, keeps what it was asked, and costs nothing.
 */
export type LoopbackModel = {
  /** Address without a path, and without a slash at its end. */
  readonly url: string;
  readonly requests: readonly LoopbackRequest[];
  /** Requests of other kinds, such as for a list of models: method and path. */
  readonly others: readonly string[];
  readonly close: () => Promise<void>;
};

const decoders: Readonly<Record<string, (data: Buffer) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

/** Listens on 127.0.0.1 only, on a free port. */
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
    const reply = answerOf(api, loopbackText(api, body), { model: name, stream: streams });
    // Gemini's streams are one array without “alt=sse”.
    const isArray = api === "gemini" && streams && searchParams.get("alt") !== "sse";
    send("events" in reply && isArray ? { json: reply.events.map(({ data }) => data) } : reply, response);
  }
}

/** Answers what agents ask beside model calls: token counts and lists of models. Other paths are not found. */
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

/** APIs that the loopback model speaks. */
type LoopbackApi = "anthropic" | "openai-responses" | "openai-chat" | "gemini";

/** Answer to send: one JSON value, or the events of a stream, each with its name, if it has one. */
type LoopbackAnswer =
  | { readonly json: unknown }
  | { readonly events: readonly { readonly name?: string; readonly data: unknown }[]; readonly closing?: string };

type Asked = { readonly model: string; readonly stream: boolean };

/** API of a path; undefined if the request is not for a model's answer. */
function apiOf(path: string): LoopbackApi | undefined {
  if (/\/messages$/.test(path)) return "anthropic";
  if (/\/responses$/.test(path)) return "openai-responses";
  if (/\/chat\/completions$/.test(path)) return "openai-chat";
  if (/:(generate|streamGenerate)Content$/.test(path)) return "gemini";
  return undefined;
}

/** Formats a short text as an answer of each API. */
function answerOf(api: LoopbackApi, text: string, asked: Asked): LoopbackAnswer {
  if (api === "anthropic") return anthropic(text, asked);
  if (api === "openai-responses") return responses(text, asked);
  if (api === "openai-chat") return chat(text, asked);
  return gemini(text, asked);
}

function anthropic(text: string, { model, stream }: Asked): LoopbackAnswer {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg_loopback", type: "message", role: "assistant", model, stop_sequence: null, usage };
  if (!stream) return { json: { ...message, content: [{ type: "text", text }], stop_reason: "end_turn" } };
  const data = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ];
  return { events: data.map((one) => ({ name: one.type, data: one })) };
}

function responses(text: string, { model, stream }: Asked): LoopbackAnswer {
  const part = { type: "output_text", text, annotations: [] };
  const item = { id: "msg_loopback", type: "message", role: "assistant", status: "completed", content: [part] };
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2,
  };
  const begun = { id: "resp_loopback", object: "response", created_at: 0, model, status: "in_progress", output: [] };
  const response = { ...begun, status: "completed", output: [item], usage };
  if (!stream) return { json: response };
  const place = { item_id: item.id, output_index: 0, content_index: 0 };
  const data = [
    { type: "response.created", response: begun },
    { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...place, delta: text },
    { type: "response.output_text.done", ...place, text },
    { type: "response.content_part.done", ...place, part },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ];
  return { events: data.map((one, index) => ({ name: one.type, data: { ...one, sequence_number: index } })) };
}

function chat(text: string, { model, stream }: Asked): LoopbackAnswer {
  const head = { id: "chatcmpl-loopback", created: 0, model };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const message = { role: "assistant", content: text };
  if (!stream) {
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    return { json: { ...head, object: "chat.completion", choices, usage } };
  }
  const chunk = (choice: object) => ({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, ...choice }] });
  return {
    events: [
      { data: chunk({ delta: message, finish_reason: null }) },
      { data: { ...chunk({ delta: {}, finish_reason: "stop" }), usage } },
    ],
    closing: "[DONE]",
  };
}

function gemini(text: string, { model, stream }: Asked): LoopbackAnswer {
  const content = { role: "model", parts: [{ text }] };
  const json = {
    candidates: [{ index: 0, content, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: model,
    responseId: "loopback",
  };
  return stream ? { events: [{ data: json }] } : { json };
}

type Fields = Readonly<Record<string, unknown>>;

const words = "Understood.";
const maxDepth = 20;

/** Text of the answer: a word, or the smallest value that fits the requested JSON Schema. */
function loopbackText(api: LoopbackApi, body: unknown): string {
  const schema = schemaIn(api, fieldsOf(body));
  return schema === undefined ? words : JSON.stringify(leastOf(schema, 0));
}

/** Schema of the answer in a request of each API; for one that asks for JSON without a schema, an object. */
function schemaIn(api: LoopbackApi, body: Fields): unknown {
  if (api === "anthropic") return fieldsOf(body.output_format ?? fieldsOf(body.output_config).format).schema;
  if (api === "openai-responses") return fieldsOf(fieldsOf(body.text).format).schema;
  if (api === "openai-chat") return fieldsOf(fieldsOf(body.response_format).json_schema).schema;
  const config = fieldsOf(body.generationConfig);
  if (config.responseMimeType !== "application/json") return undefined;
  return config.responseJsonSchema ?? config.responseSchema ?? { type: "object" };
}

function leastOf(schema: unknown, depth: number): unknown {
  const { type, enum: values, properties, required, items, minItems } = fieldsOf(schema);
  if (Array.isArray(values)) return values[0];
  const kind = String(Array.isArray(type) ? type[0] : (type ?? "object")).toLowerCase();
  if (kind === "string") return words;
  if (kind === "integer" || kind === "number") return 1;
  if (kind === "boolean") return false;
  if (kind === "null" || depth > maxDepth) return null;
  if (kind === "array") return minItems === undefined ? [] : [leastOf(items, depth + 1)];
  const names = Array.isArray(required) ? required.map(String) : [];
  return Object.fromEntries(names.map((name) => [name, leastOf(fieldsOf(properties)[name], depth + 1)]));
}

function fieldsOf(value: unknown): Fields {
  return Object(value) as Fields;
}
