import { defined } from "../../prompt/argument.ts";
import type { Attachment } from "../../prompt/step-result.ts";
import type { Answer, Finish, Message, ModelRequest } from "../model.ts";
import { answerParts, droppedIn, ownContent, soundName } from "../models/answer.ts";
import { cacheControl } from "../models/wire.ts";
import type { Receiver } from "../receiver.ts";
import { checkedRequest, checkedResponse, nativeAnswer } from "./sdk-call.ts";

type CacheControl = { type: "ephemeral"; ttl?: "1h" };
type TextBlock = { type: "text"; text: string; cache_control?: CacheControl };
type CallBlock = { type: "tool_use"; id: string; name: string; input: unknown; cache_control?: CacheControl };
type ThoughtBlock =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string };
type ResultBlock = {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error?: true;
  cache_control?: CacheControl;
};
type PictureType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";
type FileBlock =
  | {
      type: "image";
      source: { type: "base64"; media_type: PictureType; data: string };
      cache_control?: CacheControl;
    }
  | {
      type: "document";
      source: { type: "base64"; media_type: "application/pdf"; data: string };
      title?: string;
      cache_control?: CacheControl;
    };
type ContentBlock = TextBlock | CallBlock | ThoughtBlock | ResultBlock | FileBlock;

/** A request in the form of Anthropic's messages API: plain values, which its own SDK takes as they are. */
export type AnthropicRequest = {
  system: TextBlock[];
  messages: (
    | { role: "user" | "assistant"; content: ContentBlock[] }
    | { role: "system"; content: TextBlock[]; clear_at?: "next_user_message" }
  )[];
  tools?: { name: string; description: string; input_schema: { type: "object"; [field: string]: unknown } }[];
  tool_choice?: { type: "none" };
  max_tokens?: number;
};

/** The fields that are read of Anthropic's answer: a `Message` of its SDK, or the result of `stream.finalMessage()`. */
export type AnthropicResponse = {
  readonly content: readonly { readonly type: string }[];
  readonly stop_reason: string | null;
  /** The report on reasoning that was left out, which the beta header thinking-binding-controls-2026-08-01 asks for. */
  readonly input_transformations?: readonly object[] | null;
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_input_tokens?: number | null;
    readonly cache_creation_input_tokens?: number | null;
  };
};

/**
 * Converts a request for Anthropic's messages: `client.messages.create({ model, max_tokens, ...toAnthropic(…) })`.
 *
 * Every text stays as it is, every breakpoint becomes a `cache_control`, and every answer that `fromAnthropic` read goes back as
 * it came. Consecutive messages of the user become one; one of the system stays where it is, on its own. How much the model
 * thinks is yours to set (`thinking`), and so is the beta header for messages that are forgotten (`clear_at`):
 * mid-conversation-system-clear-at-2026-08-21.
 */
export function toAnthropic(request: ModelRequest, receiver: Receiver): AnthropicRequest {
  const { system, messages, tools, toolChoice, answerTokens } = checkedRequest("toAnthropic", request, receiver);
  const { cache, name } = receiver;
  const marked = (breakpoint: true | undefined) => (breakpoint ? { cache_control: cacheControl(cache) } : {});
  const merged: { role: "user" | "assistant" | "system"; content: ContentBlock[] }[] = [];
  for (const message of messages) {
    if (message.role === "system" && message.clears) {
      const cleared = { content: contentOf(message, name), clear_at: "next_user_message" } as const;
      merged.push({ role: "system", ...cleared });
      continue;
    }
    const content = contentOf(message, name);
    const at = content.findLastIndex(({ type }) => !/thinking$/.test(type));
    const all = content.map((block, index) => (index === at ? { ...block, ...marked(message.breakpoint) } : block));
    if (all.length === 0) continue;
    const role = message.role === "tool" ? "user" : message.role;
    const before = merged.at(-1);
    if (before?.role === role && role !== "system") before.content.push(...all);
    else merged.push({ role, content: all });
  }
  const blocks = system.filter(({ text }) => text !== "");
  const limit = answerTokens ?? receiver.output;
  return {
    system: blocks.map(({ text, breakpoint }) => ({ type: "text", text, ...marked(breakpoint) })),
    messages: merged as AnthropicRequest["messages"],
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, input }) => ({
            name,
            description,
            input_schema: { ...input, type: "object" },
          })),
          ...(toolChoice ? { tool_choice: { type: toolChoice } } : {}),
        }
      : {}),
    ...defined({ max_tokens: limit }),
  };
}

function contentOf(message: Message, model: string): ContentBlock[] {
  if (message.role === "tool")
    return message.results.map(({ call, output, failed }) => ({
      type: "tool_result",
      tool_use_id: call,
      content: output,
      ...(failed ? { is_error: true } : {}),
    }));
  if (message.role !== "assistant") {
    const files = (message.attachments ?? []).flatMap(fileBlock);
    return files.length > 0 && message.text === "" ? files : [...files, { type: "text", text: message.text }];
  }
  const own = ownContent(message, { model, form: "anthropic", read: readBlocks });
  if (own) return own.filter((block) => !isBlank(block)).map(soundBlock);
  return answerParts(message, "").flatMap((part): ContentBlock[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    if (part.type !== "tool-call") return [];
    return [{ type: "tool_use", id: part.toolCallId, name: part.toolName, input: JSON.parse(String(part.input)) }];
  });
}

function fileBlock({ data, mediaType, name }: Attachment & { readonly data?: string }): FileBlock[] {
  if (data === undefined) return [];
  if (mediaType.startsWith("image/"))
    return [{ type: "image", source: { type: "base64", media_type: mediaType as PictureType, data } }];
  const source = { type: "base64", media_type: "application/pdf", data } as const;
  return [{ type: "document", source, ...defined({ title: name }) }];
}

/** Returns true for a text of white space, which Anthropic rejects though its models write them. */
function isBlank(block: ContentBlock): boolean {
  return block.type === "text" && block.text.trim() === "";
}

function soundBlock(block: ContentBlock): ContentBlock {
  return block.type === "tool_use" && soundName(block.name) !== block.name
    ? { ...block, name: soundName(block.name) }
    : block;
}

/** Converts Anthropic's answer. Reasoning, and all else besides text and calls, is kept as it came. */
export function fromAnthropic(response: AnthropicResponse, receiver: Receiver): Answer {
  checkedResponse("fromAnthropic", receiver, {
    fits: Array.isArray(response?.content) && typeof response.usage?.input_tokens === "number",
    given: response,
    wanted: "a message: await client.messages.create(…), or await stream.finalMessage()",
  });
  const content = response.content as readonly ContentBlock[];
  const { usage, stop_reason: stop } = response;
  const { cache_read_input_tokens: read = null, cache_creation_input_tokens: written = null } = usage;
  return nativeAnswer(
    {
      ...readBlocks(content),
      finish: finishes[stop ?? ""] ?? "other",
      ...droppedIn(response.input_transformations),
      usage: {
        input: usage.input_tokens + (read ?? 0) + (written ?? 0),
        read,
        written,
        output: usage.output_tokens,
      },
    },
    { receiver, form: "anthropic", content, isPlain: isPlain(content) },
  );
}

const finishes: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content-filter",
  pause_turn: "pause",
};

function readBlocks(content: readonly ContentBlock[]) {
  return {
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    calls: content.flatMap((block) =>
      block.type === "tool_use" ? [{ id: block.id, name: block.name, input: JSON.stringify(block.input) }] : [],
    ),
  };
}

/** Returns true if an answer is at most one text followed by calls of our tools: nothing else has to be kept. */
function isPlain(content: readonly ContentBlock[]): boolean {
  return content.every((block, index) => {
    const { citations, caller } = block as { citations?: unknown[] | null; caller?: { type: string } };
    if (block.type === "text") return index === 0 && !citations?.length;
    return block.type === "tool_use" && (caller === undefined || caller.type === "direct");
  });
}
