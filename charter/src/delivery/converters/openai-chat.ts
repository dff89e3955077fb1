import { defined } from "../../prompt/argument.ts";
import type { Attachment } from "../../prompt/step-result.ts";
import type { Answer, Block, Finish, Message, ModelRequest } from "../model.ts";
import { answerParts, ownContent, soundInput, soundName } from "../models/answer.ts";
import { cacheControl, dialectOf, joined, type ProviderDialect, type Spot } from "../models/wire.ts";
import { type ReasoningEffort, type Receiver, splitModelName } from "../receiver.ts";
import { checkedRequest, checkedResponse, failedResponse, nativeAnswer, withoutParsed } from "./sdk-call.ts";

type TextPart = { type: "text"; text: string; prompt_cache_breakpoint?: { mode: "explicit" } };
type FilePart =
  | { type: "image_url"; image_url: { url: string } }
  | { type: "file"; file: { filename: string; file_data: string } };
type CallPart = { id: string; type: "function"; function: { name: string; arguments: string } };
type AnswerMessage = { role: "assistant"; content: string | TextPart[] | null; tool_calls?: CallPart[] };
type ChatMessage =
  | { role: "system" | "developer"; content: string | TextPart[] }
  | { role: "user"; content: string | (TextPart | FilePart)[] }
  | AnswerMessage
  | { role: "tool"; tool_call_id: string; content: string | TextPart[] };

/** A request in the form of OpenAI's chat completions: plain values, which the `openai` package takes as they are. */
export type OpenAIChatRequest = {
  messages: ChatMessage[];
  tools?: {
    type: "function";
    function: { name: string; description: string; parameters: { [field: string]: unknown } };
  }[];
  tool_choice?: "none";
  /** The limit by OpenAI's own name; compatible servers know the older one. */
  max_completion_tokens?: number;
  max_tokens?: number;
  reasoning_effort?: ReasoningEffort;
  prompt_cache_key?: string;
  prompt_cache_options?: { mode: "explicit" };
};

/** The fields that are read of a chat completion: of the `openai` package, or the result of `stream.finalChatCompletion()`. */
export type OpenAIChatResponse = {
  readonly choices: readonly { readonly message: object; readonly finish_reason?: string | null }[];
  readonly usage?:
    | {
        readonly prompt_tokens: number;
        readonly completion_tokens: number;
        readonly prompt_tokens_details?: {
          readonly cached_tokens?: number | null;
          readonly cache_write_tokens?: number | null;
        } | null;
      }
    | null
    | undefined;
};

/**
 * Converts a request for OpenAI's chat completions, which vLLM, Ollama, Groq, OpenRouter and many others speak:
 * `client.chat.completions.create({ model, ...toOpenAIChat(…) })`.
 *
 * Every text stays as it is; OpenAI's newer models, and Claude through OpenRouter, get breakpoints; every answer that
 * `fromOpenAIChat` read goes back as it came.
 */
export function toOpenAIChat(request: ModelRequest, receiver: Receiver): OpenAIChatRequest {
  const sent = checkedRequest("toOpenAIChat", request, receiver);
  const { tools, toolChoice, answerTokens = receiver.output } = sent;
  const { cache, name, reasoning } = receiver;
  const own = isOpenAI(name);
  return {
    messages: messagesOf(sent, receiver),
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, input }) => ({
            type: "function" as const,
            function: { name, description, parameters: input },
          })),
          ...(toolChoice ? { tool_choice: toolChoice } : {}),
        }
      : {}),
    ...(answerTokens === undefined ? {} : own ? { max_completion_tokens: answerTokens } : { max_tokens: answerTokens }),
    ...defined({ reasoning_effort: reasoning }),
    ...(own && request.cacheKey !== undefined ? { prompt_cache_key: request.cacheKey } : {}),
    ...(own && cache.kind === "breakpoint" && !cache.implicit ? { prompt_cache_options: { mode: "explicit" } } : {}),
  };
}

/** Returns true for OpenAI itself, which supports more than the servers that speak its protocol. */
function isOpenAI(name: string): boolean {
  return ["openai", "openai-chat"].includes(splitModelName(name).provider);
}

function messagesOf({ system, messages }: ModelRequest, receiver: Receiver): ChatMessage[] {
  const { name, cache } = receiver;
  const { provider, model } = splitModelName(name);
  const own = isOpenAI(name);
  const dialect = dialectOf(
    { provider: own ? "openai.chat" : `${provider}.chat`, modelId: model, specificationVersion: "v4" },
    receiver,
  );
  const mark = own ? { prompt_cache_breakpoint: { mode: "explicit" } } : { cache_control: cacheControl(cache) };
  const words = (spot: Spot, text: string, breakpoint: true | undefined): string | TextPart[] =>
    breakpoint && dialect.breakpoint(spot, text) ? [{ type: "text", text, ...mark } as TextPart] : text;
  const speaker = own ? "developer" : "system";
  return [
    ...systemBlocks(system, dialect).map(
      ({ text, breakpoint }): ChatMessage => ({
        role: speaker,
        content: words("system", text, breakpoint),
      }),
    ),
    ...messages.flatMap((message): ChatMessage[] => {
      const { breakpoint } = message;
      if (message.role === "tool") {
        const last = message.results.length - 1;
        return message.results.map(({ call, output }, index) => ({
          role: "tool",
          tool_call_id: call,
          content: words("tool", output, index === last ? breakpoint : undefined),
        }));
      }
      if (message.role === "assistant")
        return answerMessage(message, name, (text) => words("assistant-text", text, breakpoint));
      const { role, text, attachments = [] } = message;
      if (role === "system") return [{ role: speaker, content: words("system", text, breakpoint) }];
      const files = attachments.flatMap(filePart);
      if (files.length === 0) return [{ role, content: words("user", text, breakpoint) }];
      const content = words("user", text, breakpoint);
      const parts: TextPart[] = text === "" ? [] : typeof content === "string" ? [{ type: "text", text }] : content;
      return [{ role, content: [...files, ...parts] }];
    }),
  ];
}

function systemBlocks(system: readonly Block[], dialect: ProviderDialect): Block[] {
  return joined(
    system.filter(({ text }) => text !== ""),
    dialect,
  );
}

type OurAnswer = Extract<Message, { role: "assistant" }>;

function answerMessage(message: OurAnswer, model: string, words: (text: string) => string | TextPart[]): ChatMessage[] {
  const [own] = ownContent<AnswerMessage>(message, { model, form: "openai-chat", read: readMessages }) ?? [];
  if (own) return [soundMessage(own)];
  const parts = answerParts(message, "");
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const calls = parts.flatMap((part): CallPart[] =>
    part.type === "tool-call"
      ? [{ id: part.toolCallId, type: "function", function: { name: part.toolName, arguments: String(part.input) } }]
      : [],
  );
  if (parts.length === 0) return [];
  const content = text === "" ? null : words(text);
  return [{ role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
}

/** Makes the names and arguments of a message's calls acceptable to every server. */
function soundMessage(message: AnswerMessage): AnswerMessage {
  const isSound = ({ function: called }: CallPart) =>
    soundName(called.name) === called.name && soundInput(called.arguments) === called.arguments;
  if (!message.tool_calls || message.tool_calls.every(isSound)) return message;
  const calls = message.tool_calls.map((call) => ({
    ...call,
    function: { name: soundName(call.function.name), arguments: soundInput(call.function.arguments) },
  }));
  return { ...message, tool_calls: calls };
}

function filePart({ data, mediaType, name }: Attachment & { readonly data?: string }): FilePart[] {
  if (data === undefined) return [];
  const url = `data:${mediaType};base64,${data}`;
  if (mediaType.startsWith("image/")) return [{ type: "image_url", image_url: { url } }];
  return [{ type: "file", file: { filename: name ?? "document.pdf", file_data: url } }];
}

/** Converts a chat completion to an answer. Reasoning, and all else besides text and calls, is kept as it came. */
export function fromOpenAIChat(response: OpenAIChatResponse, receiver: Receiver): Answer {
  const name = "fromOpenAIChat";
  const { error } = Object(response) as { readonly error?: { readonly message?: string } };
  if (error) throw failedResponse(name, error.message ?? "it has an error");
  checkedResponse(name, receiver, {
    fits: Array.isArray(response?.choices) && response.choices[0]?.message !== undefined,
    given: response,
    wanted: "a chat completion: await client.chat.completions.create(…), or await stream.finalChatCompletion()",
  });
  const [choice] = response.choices;
  const { message: given, finish_reason: finish } = choice as OpenAIChatResponse["choices"][number];
  if (finish === "error") throw failedResponse(name, "its server says that it broke off");
  const message = withoutParsed(given);
  const content = [message as AnswerMessage];
  const { refusal } = message as { readonly refusal?: string | null };
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = response.usage ?? {};
  return nativeAnswer(
    {
      ...readMessages(content),
      finish: refusal ? "content-filter" : (finishes[finish ?? ""] ?? "other"),
      usage: {
        input: input ?? null,
        read: details?.cached_tokens ?? null,
        written: details?.cache_write_tokens ?? null,
        output: output ?? null,
      },
    },
    { receiver, form: "openai-chat", content, isPlain: isPlain(message) },
  );
}

const finishes: Readonly<Record<string, Finish>> = {
  stop: "stop",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  length: "length",
  content_filter: "content-filter",
};

function readMessages(content: readonly AnswerMessage[]) {
  const [{ content: words = "", tool_calls: calls } = { content: "" }] = content as readonly Partial<AnswerMessage>[];
  return {
    text: typeof words === "string" ? words : (words ?? []).map(({ text }) => text ?? "").join(""),
    calls: (calls ?? []).flatMap(({ id, function: called }) =>
      called ? [{ id, name: called.name, input: called.arguments }] : [],
    ),
  };
}

/** Returns true if a message has only text and calls. Empty fields do not count: many SDKs fill in every field. */
function isPlain(message: object): boolean {
  const more = ({ role: _role, content: _content, tool_calls: _calls, ...rest }: Partial<AnswerMessage>) => rest;
  const { tool_calls: calls } = message as Partial<AnswerMessage>;
  const isEmpty = (value: unknown) => !value || (Array.isArray(value) && value.length === 0);
  return (
    Object.values(more(message)).every(isEmpty) &&
    (calls ?? []).every(
      ({ id: _id, type: _type, function: _function, index: _index, ...rest }: CallPart & { index?: number }) =>
        Object.values(rest).every(isEmpty),
    )
  );
}
