import type { Attachment } from "../../prompt/attachment.ts";
import type { Message, ModelRequest } from "../model.ts";
import type { CacheRules, Receiver } from "../receiver.ts";
import { checkedRequest } from "./check-request.ts";
import { answerParts } from "./native.ts";

type CacheControl = { type: "ephemeral"; ttl?: "1h" };
type TextBlock = { type: "text"; text: string; cache_control?: CacheControl };
type CallBlock = { type: "tool_use"; id: string; name: string; input: unknown; cache_control?: CacheControl };
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
type ContentBlock = TextBlock | CallBlock | ResultBlock | FileBlock;

/** What Anthropic's messages API is sent of a request: plain values, which its own SDK takes as they are. */
export type AnthropicRequest = {
  system: TextBlock[];
  messages: ({ role: "user" | "assistant"; content: ContentBlock[] } | { role: "system"; content: TextBlock[] })[];
  tools?: { name: string; description: string; input_schema: { type: "object"; [field: string]: unknown } }[];
};

/**
 * A request in the form of Anthropic's messages: `client.messages.create({ model, max_tokens, ...toAnthropic(…) })`.
 *
 * Every text as it is, every breakpoint a `cache_control`. Messages of one role that follow each other become one.
 * Reasoning is not among it: a loop that has to send it back keeps Anthropic's own messages.
 */
export function toAnthropic(request: ModelRequest, receiver: Receiver): AnthropicRequest {
  const sent = checkedRequest("toAnthropic", request, receiver);
  const { system, messages, tools } = sent;
  const { cache } = receiver;
  const marked = (breakpoint: true | undefined) => (breakpoint ? { cache_control: cacheControl(cache) } : {});
  const merged: { role: "user" | "assistant" | "system"; content: ContentBlock[] }[] = [];
  for (const message of messages) {
    const content = contentOf(message);
    const last = content.pop();
    if (!last) continue;
    const all = [...content, { ...last, ...marked(message.breakpoint) }];
    const role = message.role === "tool" ? "user" : message.role;
    const before = merged.at(-1);
    if (before?.role === role) before.content.push(...all);
    else merged.push({ role, content: all });
  }
  const blocks = system.filter(({ text }) => text !== "");
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
        }
      : {}),
  };
}

function contentOf(message: Message): ContentBlock[] {
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
  return [{ type: "document", source, ...(name === undefined ? {} : { title: name }) }];
}

/** The cache holds for five minutes, or for an hour where the receiver's rules say more. */
export function cacheControl(cache: CacheRules): CacheControl {
  return cache.kind !== "none" && cache.ttlSeconds > 300 ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}
