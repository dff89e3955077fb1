import type { ModelRequest } from "../model.ts";
import { splitModelName } from "../providers.ts";
import type { Receiver } from "../receiver.ts";
import { checkedRequest } from "./check-request.ts";
import { dialectOf, type ProviderDialect } from "./dialect.ts";
import { callOptions } from "./wire.ts";

type Json = null | string | number | boolean | Json[] | { [field: string]: Json };
type ProviderOptions = { [provider: string]: { [field: string]: Json } };
type SystemMessage = { role: "system"; content: string; providerOptions?: ProviderOptions };
type TextPart = { type: "text" | "reasoning"; text: string; providerOptions?: ProviderOptions };
type FilePart = {
  type: "file";
  data: { type: "data"; data: string };
  mediaType: string;
  filename?: string;
  providerOptions?: ProviderOptions;
};
type CallPart = {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerOptions?: ProviderOptions;
};
type ResultPart = {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text" | "error-text"; value: string };
  providerOptions?: ProviderOptions;
};

/** What `generateText` and `streamText` of the AI SDK take of a request: plain values. */
export type AiSdkRequest = {
  instructions: SystemMessage[];
  messages: (
    | SystemMessage
    | { role: "user"; content: ((TextPart & { type: "text" }) | FilePart)[] }
    | { role: "assistant"; content: (TextPart | CallPart)[] }
    | { role: "tool"; content: ResultPart[] }
  )[];
  /** Updates and state may be in the system's role, inside the history. The words of others never are. */
  allowSystemInMessages: true;
  providerOptions: ProviderOptions;
};

/** The names under which the AI SDK's providers know each other, by ours. */
const sdkNames: Readonly<Record<string, string>> = {
  anthropic: "anthropic.messages",
  openai: "openai.responses",
  "openai-chat": "openai.chat",
  google: "google.generative-ai",
  openrouter: "openrouter.chat",
};

/**
 * A request in the form of the AI SDK: `generateText({ model, ...toAiSdk(…) })`. The receiver's name says whose provider
 * options breakpoints become. Tools are the caller's own: the SDK runs them.
 */
export function toAiSdk(request: ModelRequest, receiver: Receiver): AiSdkRequest {
  const sent = checkedRequest("toAiSdk", request, receiver);
  const { provider: own, model: modelId } = splitModelName(receiver.name);
  const provider = sdkNames[own] ?? "";
  const dialect: ProviderDialect = {
    ...dialectOf({ provider, modelId, specificationVersion: "v4" }, receiver),
    calls: "parsed",
  };
  const wired = (part: ModelRequest) => callOptions(part, receiver, dialect).prompt;
  return {
    instructions: wired({ ...sent, messages: [] }) as SystemMessage[],
    messages: wired({ ...sent, system: [] }) as AiSdkRequest["messages"],
    allowSystemInMessages: true,
    providerOptions: dialect.options(request) as ProviderOptions,
  };
}
