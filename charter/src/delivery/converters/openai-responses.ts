import { defined } from "../../prompt/argument.ts";
import type { Attachment } from "../../prompt/step-result.ts";
import type { Answer, Finish, Message, ModelRequest } from "../model.ts";
import { answerParts, ownContent, soundInput, soundName } from "../models/answer.ts";
import { dialectOf, joined } from "../models/wire.ts";
import { type ReasoningEffort, type Receiver, splitModelName } from "../receiver.ts";
import { checkedRequest, checkedResponse, failedResponse, nativeAnswer, withoutParsed } from "./sdk-call.ts";

type InputText = { type: "input_text"; text: string; prompt_cache_breakpoint?: { mode: "explicit" } };
type InputFile =
  | { type: "input_image"; image_url: string; detail: "auto" }
  | { type: "input_file"; filename: string; file_data: string };
type CallItem = { type: "function_call"; call_id: string; name: string; arguments: string };
type InputItem =
  | { role: "developer" | "assistant"; content: string | InputText[] }
  | { role: "user"; content: (InputText | InputFile)[] }
  | CallItem
  | { type: "function_call_output"; call_id: string; output: string | InputText[] }
  | { type: "reasoning"; id: string; summary: { type: "summary_text"; text: string }[]; encrypted_content?: string };

/** A request in the form of OpenAI's responses API: plain values, which its own SDK takes as they are. */
export type OpenAIResponsesRequest = {
  input: InputItem[];
  tools?: {
    type: "function";
    name: string;
    description: string;
    parameters: { [field: string]: unknown };
    strict: boolean;
  }[];
  tool_choice?: "none";
  max_output_tokens?: number;
  reasoning?: { effort: ReasoningEffort };
  store: false;
  /** Asks for reasoning in a form that can be sent back, since the provider stores nothing. */
  include?: ["reasoning.encrypted_content"];
  prompt_cache_key?: string;
  prompt_cache_options?: { mode: "explicit" };
};

/** The fields that are read of OpenAI's answer: a `Response` of its SDK, or the result of `stream.finalResponse()`. */
export type OpenAIResponse = {
  readonly output: readonly { readonly type: string }[];
  readonly status?: string | undefined;
  readonly incomplete_details?: { readonly reason?: string | undefined } | null;
  readonly error?: { readonly message: string } | null;
  readonly usage?:
    | {
        readonly input_tokens: number;
        readonly output_tokens: number;
        readonly input_tokens_details?: { readonly cached_tokens?: number; readonly cache_write_tokens?: number };
      }
    | null
    | undefined;
};

/**
 * Converts a request for OpenAI's responses: `client.responses.create({ model, ...toOpenAIResponses(…) })`.
 *
 * Every text stays as it is, every breakpoint is set where the protocol has a place for one, and every answer that
 * `fromOpenAIResponses` read goes back as it came. The history is sent whole, so nothing is stored.
 */
export function toOpenAIResponses(request: ModelRequest, receiver: Receiver): OpenAIResponsesRequest {
  const sent = checkedRequest("toOpenAIResponses", request, receiver);
  const { system, messages, tools, cacheKey, toolChoice, answerTokens = receiver.output } = sent;
  const { cache, name, reasoning } = receiver;
  const blocks = joined(
    system.filter(({ text }) => text !== ""),
    dialectOf({ provider: "openai.responses", modelId: "", specificationVersion: "v4" }, receiver),
  );
  return {
    input: [
      ...blocks.map(({ text, breakpoint }): InputItem => ({ role: "developer", content: wordsOf(text, breakpoint) })),
      ...messages.flatMap((message) => itemsOf(message, name)),
    ],
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, input }) => ({
            type: "function" as const,
            name,
            description,
            parameters: input,
            strict: false,
          })),
          ...(toolChoice ? { tool_choice: toolChoice } : {}),
        }
      : {}),
    ...defined({ max_output_tokens: answerTokens }),
    ...(reasoning === undefined ? {} : { reasoning: { effort: reasoning } }),
    store: false,
    ...(reasons(name) ? { include: ["reasoning.encrypted_content"] } : {}),
    ...defined({ prompt_cache_key: cacheKey }),
    ...(cache.kind === "breakpoint" && !cache.implicit ? { prompt_cache_options: { mode: "explicit" } } : {}),
  };
}

/** Returns true for a model that reasons; OpenAI rejects a request for the reasoning of any other. */
function reasons(name: string): boolean {
  const { model } = splitModelName(name);
  return /^(?:o\d|gpt-(?:[5-9]|\d\d))/.test(model) && !model.includes("-chat");
}

function itemsOf(message: Message & { readonly breakpoint?: true }, model: string): InputItem[] {
  const { breakpoint } = message;
  if (message.role === "tool") {
    const last = message.results.length - 1;
    return message.results.map(({ call, output }, index) => ({
      type: "function_call_output",
      call_id: call,
      output: wordsOf(output, index === last ? breakpoint : undefined),
    }));
  }
  if (message.role !== "assistant") {
    const { role, text } = message;
    const files = (message.attachments ?? []).flatMap(inputFile);
    const words = files.length > 0 && text === "" ? [] : [inputText(text, breakpoint)];
    return role === "user"
      ? [{ role, content: [...files, ...words] }]
      : [{ role: "developer", content: wordsOf(text, breakpoint) }];
  }
  const own = ownContent<OutputItem>(message, { model, form: "openai-responses", read: readItems });
  if (own) return own.map(soundItem) as InputItem[];
  return answerParts(message, "").flatMap((part): InputItem[] => {
    if (part.type === "text") return [{ role: "assistant", content: part.text }];
    if (part.type !== "tool-call") return [];
    return [{ type: "function_call", call_id: part.toolCallId, name: part.toolName, arguments: String(part.input) }];
  });
}

function inputFile({ data, mediaType, name }: Attachment & { readonly data?: string }): InputFile[] {
  if (data === undefined) return [];
  const url = `data:${mediaType};base64,${data}`;
  if (mediaType.startsWith("image/")) return [{ type: "input_image", image_url: url, detail: "auto" }];
  return [{ type: "input_file", filename: name ?? "document.pdf", file_data: url }];
}

function wordsOf(text: string, breakpoint: true | undefined): string | InputText[] {
  return breakpoint ? [inputText(text, breakpoint)] : text;
}

function inputText(text: string, breakpoint: true | undefined): InputText {
  return { type: "input_text", text, ...(breakpoint ? { prompt_cache_breakpoint: { mode: "explicit" } } : {}) };
}

type OutputContent = { readonly type: string; readonly text?: string; readonly annotations?: readonly unknown[] };
type MessageItem = { readonly type: "message"; readonly content: readonly OutputContent[] };
type OutputItem =
  | MessageItem
  | Readonly<CallItem>
  | { readonly type: "reasoning"; readonly encrypted_content?: string | null };

/** Makes the name and arguments of a call acceptable to OpenAI. */
function soundItem(item: OutputItem): OutputItem {
  if (item.type !== "function_call") return item;
  const [name, input] = [soundName(item.name), soundInput(item.arguments)];
  return name === item.name && input === item.arguments ? item : { ...item, name, arguments: input };
}

/** Converts OpenAI's response to an answer. Reasoning, and all else besides text and calls, is kept as it came. */
export function fromOpenAIResponses(response: OpenAIResponse, receiver: Receiver): Answer {
  const name = "fromOpenAIResponses";
  checkedResponse(name, receiver, {
    fits: Array.isArray(response?.output),
    given: response,
    wanted: "a response: await client.responses.create(…), or await stream.finalResponse()",
  });
  const { status = "completed", error, usage, incomplete_details: incomplete } = response;
  if (status !== "completed" && status !== "incomplete")
    throw failedResponse(name, error ? error.message : `its status is “${status}”`);
  const content = withoutParsed(response.output) as readonly OutputItem[];
  const { cached_tokens: read, cache_write_tokens: written } = usage?.input_tokens_details ?? {};
  return nativeAnswer(
    {
      ...readItems(content),
      finish: isRefusal(content) ? "content-filter" : finishOf(status, incomplete?.reason),
      usage: {
        input: usage?.input_tokens ?? null,
        read: read ?? null,
        written: written ?? null,
        output: usage?.output_tokens ?? null,
      },
    },
    { receiver, form: "openai-responses", content, isPlain: isPlain(content) },
  );
}

function finishOf(status: string, reason: string | undefined): Finish {
  if (status === "completed") return "stop";
  return reason === "max_output_tokens" ? "length" : reason === "content_filter" ? "content-filter" : "other";
}

function isRefusal(content: readonly OutputItem[]): boolean {
  return content.some((item) => item.type === "message" && item.content.some(({ type }) => type === "refusal"));
}

function readItems(content: readonly OutputItem[]) {
  return {
    text: content.map((item) => (item.type === "message" ? textOf(item) : "")).join(""),
    calls: content.flatMap((item) =>
      item.type === "function_call" ? [{ id: item.call_id, name: item.name, input: item.arguments }] : [],
    ),
  };
}

function textOf({ content }: MessageItem): string {
  return content.map(({ type, text = "" }) => (type === "output_text" ? text : "")).join("");
}

/**
 * Returns true if an answer is a text and then calls, or has reasoning without its encrypted form, which cannot be sent back
 * where nothing is stored.
 */
function isPlain(content: readonly OutputItem[]): boolean {
  if (content.some((item) => item.type === "reasoning" && !item.encrypted_content)) return true;
  return content.every((item, index) => {
    if (item.type === "function_call") return true;
    return item.type === "message" && index === 0 && !("phase" in item && item.phase) && isBare(item);
  });
}

function isBare({ content }: MessageItem): boolean {
  return content.every(({ type, annotations }) => type === "output_text" && !annotations?.length);
}
