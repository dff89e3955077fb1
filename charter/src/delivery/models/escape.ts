import { checkText } from "../../prompt/argument.ts";
import { holdsControlToken, replaceIn, tokenRests } from "../../prompt/sound.ts";
import type { Message, Model, ModelRequest, ModelResult, SentBody, ToolCall, ToolOffer, ToolResult } from "../model.ts";
import { type AnswerPart, isNative } from "./answer.ts";

/**
 * Escapes every text of a request, whoever wrote it, for a server that does not tell control tokens in text from its own. A
 * request without any is returned as it is.
 */
export function escapedRequest(request: ModelRequest): ModelRequest {
  const { tools, system, messages, output } = request;
  const blocks = escapeTogether(system.map(({ text }) => text));
  return withChanged(request, {
    tools: mapped(tools, escapedTool),
    system: mapped(system, (block, index) => withChanged(block, { text: blocks[index] as string })),
    messages: mapped(messages, escapedMessage),
    ...(output ? { output: withChanged(output, { schema: escapedValue(output.schema) }) } : {}),
  });
}

function escapedTool(tool: ToolOffer): ToolOffer {
  return withChanged(tool, { description: escapeTokens(tool.description), input: escapedValue(tool.input) });
}

function escapedMessage<Sent extends Message>(message: Sent): Sent {
  if (message.role === "tool")
    return withChanged<Extract<Message, { role: "tool" }>>(message, {
      results: mapped(message.results, escapedResult),
    }) as Sent;
  if (message.role === "assistant") return escapedAnswer(message) as Sent;
  const { attachments } = message;
  return withChanged<UserMessage>(message, {
    text: escapeTokens(message.text),
    ...(attachments ? { attachments: mapped(attachments, escapedAttachment) } : {}),
  }) as Sent;
}

type UserMessage = Extract<Message, { role: "system" | "user" }>;
type SentAttachment = NonNullable<UserMessage["attachments"]>[number];

function escapedAttachment(attachment: SentAttachment): SentAttachment {
  const { name } = attachment;
  return name === undefined ? attachment : withChanged(attachment, { name: escapeTokens(name) });
}

function escapedResult(result: ToolResult): ToolResult {
  return withChanged(result, { output: escapeTokens(result.output) });
}

type AnswerMessage = Extract<Message, { role: "assistant" }>;

/** Escapes an answer's native content like its text, so that the two still agree. */
function escapedAnswer(message: AnswerMessage): AnswerMessage {
  const { text, calls, native } = message;
  const escaped = withChanged(message, { text: escapeAnswer([text])[0] as string, calls: mapped(calls, escapedCall) });
  if (!isNative(native)) return escaped;
  if (native.form === undefined) {
    const content = escapedParts(native.content as readonly AnswerPart[]);
    return withChanged(escaped, { native: withChanged(native, { content }) });
  }
  // Drops native content with a token in it, because it may only go back byte for byte.
  const json = JSON.stringify(native.content);
  if (changeJson(json, escapeThoughts) === json) return escaped;
  const { native: _, ...plain } = escaped;
  return plain;
}

function escapedCall(call: ToolCall): ToolCall {
  return withChanged(call, { input: changeJson(call.input, escapeTokens) });
}

function escapedParts(content: readonly AnswerPart[]): readonly AnswerPart[] {
  const texts = escapeAnswer(content.map((part) => (part.type === "text" ? part.text : "")));
  return mapped(content, (part, index): AnswerPart => {
    if (part.type === "text") return withChanged(part, { text: texts[index] as string });
    // Leaves signed reasoning unchanged, since its provider checks the signature.
    if (part.type === "reasoning")
      return part.providerOptions ? part : withChanged(part, { text: escapeThoughts(part.text) });
    if (part.type === "tool-call") return withChanged(part, { input: changeJson(String(part.input), escapeTokens) });
    return part;
  });
}

/** Escapes a schema, with its names: an answer uses the escaped names too. */
function escapedValue<Value>(value: Value): Value {
  const json = JSON.stringify(value);
  const escaped = changeJson(json, escapeTokens);
  return escaped === json ? value : (JSON.parse(escaped) as Value);
}

/** Returns a value with other fields, or the value itself if they are the same. */
function withChanged<Value extends object>(value: Value, fields: Partial<Value>): Value {
  const names = Object.keys(fields) as (keyof Value)[];
  return names.every((name) => value[name] === fields[name]) ? value : { ...value, ...fields };
}

function mapped<Value>(list: readonly Value[], change: (value: Value, index: number) => Value): readonly Value[] {
  const changed = list.map(change);
  return changed.every((value, index) => value === list[index]) ? list : changed;
}

/**
 * Sign that escapes control tokens for a server that would take them for its own. A middle dot after a token's first sign breaks
 * it (`<·|im_start|>`), and one more is added to dots that the text has there already. So every text has exactly one escaped
 * form, which can be turned back; a text without a token stays as it is.
 */
const mark = "·";
const { angle, square, turned } = tokenRests;

function signs(marks: string): RegExp {
  return new RegExp(`[<\\uFF1C\\uFE64]${marks}(?=${angle})|\\[${marks}(?=${square})|\\]${marks}(?=${turned})`, "g");
}

const bareSigns = signs("");
const anySigns = signs(`${mark}*`);
const markedSigns = signs(`${mark}+`);
const marked = (sign: string) => sign + mark;

export function escapeTokens(text: string): string {
  return mayChange(text) ? text.replace(anySigns, marked) : text;
}

/** Checks quickly whether a text can contain a token; most do not. */
function mayChange(text: string): boolean {
  return text.includes(mark) || holdsControlToken(text);
}

/** Escapes texts that a server may join: a token across two of them is escaped where it begins. */
export function escapeTogether(texts: readonly string[]): string[] {
  if (!mayChange(texts.join(""))) return [...texts];
  return replaceIn(texts, { between: "", pattern: anySigns, change: marked });
}

/**
 * Escapes an answer's texts, on their way back to the model. The marks around its thoughts stay, if it began with them: its
 * server recognises old thoughts by them.
 */
export function escapeAnswer(texts: readonly string[]): string[] {
  const all = texts.join("");
  if (!mayChange(all)) return [...texts];
  const own = thoughtMarks(all);
  const change = (sign: string, at: number) => (own.includes(at) ? sign : sign + mark);
  return replaceIn(texts, { between: "", pattern: anySigns, change });
}

const thoughts = [
  ["<think>", "</think>"],
  ["[THINK]", "[/THINK]"],
  ["<seed:think>", "</seed:think>"],
] as const;

function thoughtMarks(text: string): readonly number[] {
  const start = text.length - text.trimStart().length;
  const [, end] = thoughts.find(([begin]) => text.startsWith(begin, start)) ?? [];
  return end === undefined ? [] : [start, text.indexOf(end)];
}

/** Escapes a model's thoughts, which are kept as it wrote them: tokens that it escaped itself stay so. */
export function escapeThoughts(text: string): string {
  return mayChange(text) ? text.replace(bareSigns, marked) : text;
}

/**
 * Turns escaped control tokens in a model's text back. Use it for a server that does not guard itself; models that were loaded
 * here, and `fromAnthropic` and its like, do so by themselves.
 */
export function unescapeTokens(text: string): string {
  checkText("unescapeTokens", text);
  return text.includes(mark) ? text.replace(markedSigns, (sign) => sign.slice(0, -1)) : text;
}

/** Changes the texts in JSON. All else stays as it was written, and so does each text that does not change. */
export function changeJson(json: string, change: (text: string) => string): string {
  let out = "";
  let from = 0;
  for (let at = json.indexOf('"'); at !== -1; at = json.indexOf('"', from)) {
    const end = literalEnd(json, at);
    const written = json.slice(at, end);
    const text = parsedText(written);
    const after = text === undefined ? undefined : change(text);
    out += json.slice(from, at) + (after === undefined || after === text ? written : JSON.stringify(after));
    from = end;
  }
  return out + json.slice(from);
}

/** Returns the index after a JSON text. A pattern would run out of stack on a long text full of backslashes. */
function literalEnd(json: string, start: number): number {
  for (let index = start + 1; index < json.length; index++) {
    if (json[index] === "\\") index++;
    else if (json[index] === '"') return index + 1;
  }
  return json.length;
}

function parsedText(written: string): string | undefined {
  try {
    return JSON.parse(written) as string;
  } catch {
    return undefined;
  }
}

/** Makes a reader that turns text back as it arrives: a possible beginning of an escaped token waits for the rest. */
export function createUnescaper() {
  let held = "";
  return {
    add(delta: string): string {
      const text = held + delta;
      const places = Array.from(text.matchAll(markedSigns), ({ index, 0: sign }) => [index, sign.length] as const);
      const end = settledEnd(text, new Set(places.map(([at]) => at)));
      let settled = "";
      let from = 0;
      for (const [at, length] of places) {
        if (at >= end) break;
        settled += text.slice(from, at + length - 1);
        from = at + length;
      }
      held = text.slice(end);
      return settled + text.slice(from, end);
    },
    end(): string {
      const rest = unescapeTokens(held);
      held = "";
      return rest;
    },
  };
}

/** A sign that may begin a token, and no more of it than a token has. */
const unsettled = new RegExp(`[<\\uFF1C\\uFE64\\[\\]](?:${mark}+[^\\s${mark}]{0,80})?$`, "g");

/** Maximum number of characters that wait: no token has so many dots. */
const maxHeldChars = 1000;

/** Returns the index of the first incomplete token. */
function settledEnd(text: string, whole: ReadonlySet<number>): number {
  unsettled.lastIndex = 0;
  for (let match = unsettled.exec(text); match; match = unsettled.exec(text)) {
    if (!whole.has(match.index)) return text.length - match.index > maxHeldChars ? text.length : match.index;
    unsettled.lastIndex = match.index + 1;
  }
  return text.length;
}

/** A `fetch` that records the digest of each posted body, by the signal of its request. */
type NotingFetch = {
  readonly fetch: typeof fetch;
  readonly posted: WeakMap<AbortSignal, { readonly address: string; readonly digest: Promise<string> }>;
};

export function notingFetch(given: typeof fetch | undefined): NotingFetch {
  const posted: NotingFetch["posted"] = new WeakMap();
  return {
    posted,
    fetch: (input, init) => {
      if (init?.signal && typeof init.body === "string")
        posted.set(init.signal, { address: plainAddress(input), digest: bodyDigest(init.body) });
      return (given ?? fetch)(input, init);
    },
  };
}

/** Computes SHA-256 in hex with Web Crypto: this is bundled for runtimes without `node:crypto` too. */
export async function bodyDigest(body: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns an address without a name, a password or a key in it. */
function plainAddress(input: Parameters<typeof fetch>[0]): string {
  const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
  return `${origin}${pathname}`;
}

type MadeBy = Pick<SentBody, "package" | "version" | "cache">;

/**
 * Makes a model report the body it posted with each answer and each fault. Each request has a signal of its own to identify it.
 */
export function withSentBody(model: Model, { posted }: Pick<NotingFetch, "posted">, madeBy: MadeBy): Model {
  return {
    ...model,
    ask: async (request, asking): Promise<ModelResult> => {
      const signal = AbortSignal.any([asking.signal]);
      const result = await model.ask(request, { ...asking, signal });
      const body = posted.get(signal);
      if (!body) return result;
      const escaped = !model.receiver.guardsTokens && escapedRequest(request) !== request;
      const { address, digest } = body;
      return { ...result, sent: { digest: await digest, address, ...madeBy, ...(escaped ? { escaped } : {}) } };
    },
  };
}
