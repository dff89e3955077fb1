import { badArgument, isPromise } from "../../prompt/argument.ts";
import type { Answer, Message, ModelRequest } from "../model.ts";
import { type AnswerPart, finishOf, partsAnswer } from "../models/answer.ts";
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
  maxOutputTokens?: number;
  reasoning?: ReasoningEffort;
  toolChoice?: "none";
};

type ResponsePart = { readonly type: string };

/** What is read of a step of the AI SDK 7: of `onStepEnd`, of `result.steps`, or `await result.finalStep`. */
export type AiSdkStep = {
  readonly finishReason?: string | undefined;
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

/** The names under which the AI SDK's providers know each other, by ours. */
const sdkNames: Readonly<Record<string, string>> = {
  anthropic: "anthropic.messages",
  openai: "openai.responses",
  "openai-chat": "openai.chat",
  google: "google.generative-ai",
  openrouter: "openrouter.chat",
};

/**
 * A request in the form of the AI SDK: `generateText({ model, ...toAiSdk(…) })`. Every answer that `fromAiSdk` read goes back with
 * what was native to it. The receiver's name says whose provider
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
  const wired = (part: ModelRequest) => callOptions(part, receiver, dialect);
  const { prompt, maxOutputTokens, reasoning, toolChoice } = wired({ ...sent, system: [] });
  return {
    instructions: wired({ ...sent, messages: [] }).prompt as SystemMessage[],
    messages: prompt as AiSdkRequest["messages"],
    allowSystemInMessages: true,
    providerOptions: dialect.options(request) as ProviderOptions,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(reasoning === undefined ? {} : { reasoning: reasoning as ReasoningEffort }),
    ...(toolChoice && sent.tools.length > 0 ? { toolChoice: "none" } : {}),
  };
}

/** Messages as the AI SDK's tools are given them: for nobody's provider, and without what the system said, as it is there. */
export function aiSdkMessages(messages: readonly Message[]): AiSdkRequest["messages"] {
  const receiver = receiverFacts("");
  const nobodys = { provider: "", modelId: "", specificationVersion: "v4" } as const;
  const dialect: ProviderDialect = { ...dialectOf(nobodys, receiver), failure: "error-text" };
  const said = messages.filter(({ role }) => role !== "system");
  return callOptions({ tools: [], system: [], messages: said }, receiver, dialect).prompt as AiSdkRequest["messages"];
}

/**
 * A step of the AI SDK as our answer: what the SDK itself would send back with the next step, reasoning, files and uses of the
 * provider's own tools too. The results of your tools are not among it.
 */
export function fromAiSdk(step: AiSdkStep, receiver: Receiver): Answer {
  const { steps, response, finishReason, usage } = Object(step) as Partial<AiSdkStep> & {
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
  const finish = finishOf({ finishReason: finishReason as "stop" });
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
      usage: {
        input: inputTokens ?? null,
        read: details?.cacheReadTokens ?? null,
        written: details?.cacheWriteTokens ?? null,
        output: outputTokens ?? null,
      },
    },
  );
}

/** A part as a provider of the AI SDK takes it: a call as JSON, the bytes of a file in an object of their own. */
function keptPart(part: AnswerPart, { guardsTokens }: Receiver): AnswerPart[] {
  const plain = (text: string) => (guardsTokens ? text : unescapeTokens(text));
  if (part.type === "text") return [{ ...part, text: plain(part.text) }];
  if (part.type === "tool-call") return [{ ...part, input: changeJson(JSON.stringify(part.input ?? {}), plain) }];
  if (part.type === "file" || part.type === "reasoning-file") {
    const data: unknown = part.data;
    return [typeof data === "string" ? { ...part, data: { type: "data", data } } : part];
  }
  // A question for a person is one of the loop, and no part of an answer.
  return (part.type as string) === "tool-approval-request" ? [] : [part];
}
