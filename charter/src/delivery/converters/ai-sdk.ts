import { badArgument, defined, isPromise } from "../../prompt/argument.ts";
import type { Answer, Message, ModelRequest } from "../model.ts";
import { type AnswerPart, droppedIn, finishOf, partsAnswer } from "../models/answer.ts";
import { changeJson, unescapeTokens } from "../models/escape.ts";
import { callOptions, dialectOf, type ProviderDialect } from "../models/wire.ts";
import { type ReasoningEffort, type Receiver, receiverFacts, splitModelName } from "../receiver.ts";
import { checkedRequest, checkedResponse } from "./sdk-call.ts";

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

/** A request in the form of `generateText` and `streamText` of the AI SDK: plain values. */
export type AiSdkRequest = {
  instructions: SystemMessage[];
  messages: (
    | SystemMessage
    | { role: "user"; content: ((TextPart & { type: "text" }) | FilePart)[] }
    | { role: "assistant"; content: (TextPart | CallPart)[] }
    | { role: "tool"; content: ResultPart[] }
  )[];
  /** Allows updates and state in the system's role, inside the history. Other text never has that role. */
  allowSystemInMessages: true;
  providerOptions: ProviderOptions;
  maxOutputTokens?: number;
  reasoning?: ReasoningEffort;
  toolChoice?: "none";
};

type ResponsePart = { readonly type: string };

/** The fields that are read of a step of the AI SDK 7: of `onStepEnd`, of `result.steps`, or `await result.finalStep`. */
export type AiSdkStep = {
  readonly finishReason?: string | undefined;
  readonly rawFinishReason?: string | undefined;
  readonly providerMetadata?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  readonly usage: {
    readonly inputTokens: number | undefined;
    readonly outputTokens: number | undefined;
    readonly inputTokenDetails?: {
      readonly cacheReadTokens: number | undefined;
      readonly cacheWriteTokens: number | undefined;
    };
  };
  readonly response: {
    readonly messages?: readonly { readonly role: string; readonly content: string | readonly ResponsePart[] }[];
  };
};

/** Names that the AI SDK's providers have for each other, by ours. */
const sdkNames: Readonly<Record<string, string>> = {
  anthropic: "anthropic.messages",
  openai: "openai.responses",
  "openai-chat": "openai.chat",
  google: "google.generative-ai",
  openrouter: "openrouter.chat",
};

/**
 * Converts a request for the AI SDK: `generateText({ model, ...toAiSdk(…) })`. Every answer that `fromAiSdk` read goes back with
 * its native parts. The receiver's name decides whose provider options breakpoints become. Tools are the caller's own: the SDK
 * runs them.
 */
export function toAiSdk(request: ModelRequest, receiver: Receiver): AiSdkRequest {
  const sent = checkedRequest("toAiSdk", request, receiver);
  const { provider: own, model: modelId } = splitModelName(receiver.name);
  const provider = sdkNames[own] ?? "";
  const dialect: ProviderDialect = {
    ...dialectOf({ provider, modelId, specificationVersion: "v4" }, receiver),
    calls: "parsed",
  };
  const wired = (part: ModelRequest) => callOptions(part, receiver, dialect);
  const { prompt, maxOutputTokens, reasoning, toolChoice } = wired(sent);
  const { length } = wired({ ...sent, messages: [] }).prompt;
  return {
    instructions: prompt.slice(0, length) as SystemMessage[],
    messages: prompt.slice(length) as AiSdkRequest["messages"],
    allowSystemInMessages: true,
    providerOptions: dialect.options(request) as ProviderOptions,
    ...defined({ maxOutputTokens, reasoning: reasoning as ReasoningEffort }),
    ...(toolChoice && sent.tools.length > 0 ? { toolChoice: "none" } : {}),
  };
}

/** Converts messages for tools of the AI SDK: in no provider's form, and without the system's messages. */
export function aiSdkMessages(messages: readonly Message[]): AiSdkRequest["messages"] {
  const receiver = receiverFacts("");
  const nobodys = { provider: "", modelId: "", specificationVersion: "v4" } as const;
  const dialect: ProviderDialect = { ...dialectOf(nobodys, receiver), failure: "error-text" };
  const conversation = messages.filter(({ role }) => role !== "system");
  return callOptions({ tools: [], system: [], messages: conversation }, receiver, dialect)
    .prompt as AiSdkRequest["messages"];
}

/**
 * Converts a step of the AI SDK to an answer: everything the SDK itself would send back with the next step, including reasoning,
 * files and uses of the provider's own tools. The results of your tools are not part of it.
 */
export function fromAiSdk(step: AiSdkStep, receiver: Receiver): Answer {
  const {
    steps,
    response,
    finishReason,
    rawFinishReason: raw,
    providerMetadata,
    usage,
  } = Object(step) as Partial<AiSdkStep> & {
    readonly steps?: readonly unknown[];
  };
  const isStream = isPromise(response);
  if (isStream || (Array.isArray(steps) && steps.length > 1))
    throw badArgument(
      `What fromAiSdk was given is ${isStream ? "a stream" : `${steps?.length} steps in one`}.`,
      "Give one step: each of `await result.steps`, or what onStepEnd is called with.",
    );
  checkedResponse("fromAiSdk", receiver, {
    fits: Array.isArray(response?.messages) && usage !== undefined,
    given: step,
    wanted: "a step: what onStepEnd is called with, or each of `await result.steps`",
  });
  const finish = finishOf({ finishReason: { unified: finishReason as "stop", raw } });
  if (!finish)
    throw badArgument(
      "The step that fromAiSdk was given broke off.",
      "Read its error with faultFrom(error, receiver).",
    );
  const { inputTokens, outputTokens, inputTokenDetails: details } = usage as AiSdkStep["usage"];
  const content = response?.messages?.findLast(({ role }) => role === "assistant")?.content ?? [];
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return partsAnswer(
    parts.flatMap((part) => keptPart(part as AnswerPart, receiver)),
    receiver.name,
    {
      finish,
      ...droppedIn(providerMetadata?.anthropic?.inputTransformations),
      usage: {
        input: inputTokens ?? null,
        read: details?.cacheReadTokens ?? null,
        written: details?.cacheWriteTokens ?? null,
        output: outputTokens ?? null,
      },
    },
  );
}

/**
 * Converts a part to the form that a provider of the AI SDK takes: a call as JSON, the bytes of a file in an object of their own.
 */
function keptPart(part: AnswerPart, { guardsTokens }: Receiver): AnswerPart[] {
  const plain = (text: string) => (guardsTokens ? text : unescapeTokens(text));
  if (part.type === "text") return [{ ...part, text: plain(part.text) }];
  if (part.type === "tool-call") return [{ ...part, input: changeJson(JSON.stringify(part.input ?? {}), plain) }];
  if (part.type === "file" || part.type === "reasoning-file") {
    const data: unknown = part.data;
    return [typeof data === "string" ? { ...part, data: { type: "data", data } } : part];
  }
  // Drops a question for a person: it belongs to the SDK's loop, not to an answer.
  return (part.type as string) === "tool-approval-request" ? [] : [part];
}
