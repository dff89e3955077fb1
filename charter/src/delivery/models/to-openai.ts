import type { Attachment } from "../../prompt/attachment.ts";
import type { Message, ModelRequest } from "../model.ts";
import type { Receiver } from "../receiver.ts";
import { checkedRequest } from "./check-request.ts";
import { dialectOf } from "./dialect.ts";
import { answerParts } from "./native.ts";
import { joined } from "./wire.ts";

type InputText = { type: "input_text"; text: string; prompt_cache_breakpoint?: { mode: "explicit" } };
type InputFile =
  | { type: "input_image"; image_url: string; detail: "auto" }
  | { type: "input_file"; filename: string; file_data: string };
type InputItem =
  | { role: "developer" | "assistant"; content: string | InputText[] }
  | { role: "user"; content: (InputText | InputFile)[] }
  | { type: "function_call"; call_id: string; name: string; arguments: string }
  | { type: "function_call_output"; call_id: string; output: string | InputText[] };

/** What OpenAI's responses API is sent of a request: plain values, which its own SDK takes as they are. */
export type OpenAIRequest = {
  input: InputItem[];
  tools?: {
    type: "function";
    name: string;
    description: string;
    parameters: { [field: string]: unknown };
    strict: boolean;
  }[];
  store: false;
  prompt_cache_key?: string;
  prompt_cache_options?: { mode: "explicit" };
};

/**
 * A request in the form of OpenAI's responses: `client.responses.create({ model, ...toOpenAI(…) })`.
 *
 * Every text as it is, every breakpoint where the protocol has a place for one. The history is sent whole, so nothing is
 * stored. Reasoning is not among it: a loop that has to send it back keeps OpenAI's own items.
 */
export function toOpenAI(request: ModelRequest, receiver: Receiver): OpenAIRequest {
  const sent = checkedRequest("toOpenAI", request, receiver);
  const { system, messages, tools, cacheKey } = sent;
  const { cache } = receiver;
  const blocks = joined(
    system.filter(({ text }) => text !== ""),
    dialectOf({ provider: "openai.responses", modelId: "", specificationVersion: "v4" }, receiver),
  );
  const explicit = cache.kind === "breakpoint";
  return {
    input: [
      ...blocks.map(({ text, breakpoint }): InputItem => ({ role: "developer", content: wordsOf(text, breakpoint) })),
      ...messages.flatMap(itemsOf),
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
        }
      : {}),
    store: false,
    ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
    ...(explicit && !cache.implicit ? { prompt_cache_options: { mode: "explicit" } } : {}),
  };
}

function itemsOf(message: Message & { readonly breakpoint?: true }): InputItem[] {
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
