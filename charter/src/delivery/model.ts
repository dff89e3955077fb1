import type { Receiver } from "./receiver.ts";

/**
 * One message of a conversation, in a form that every provider's protocol can be made from. `native` is what a provider
 * wants back unchanged with an answer, such as signed reasoning.
 */
export type Message =
  | {
      readonly role: "system" | "user";
      readonly text: string;
      /** It contains this section's new text. Once that is in the prefix, the message is left out. */
      readonly update?: string;
    }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly ToolCall[];
      readonly native?: unknown;
    }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

/** A tool call by the model. `input` is the JSON it wrote, valid or not. */
export type ToolCall = { readonly id: string; readonly name: string; readonly input: string };

/** The result of a tool call, as the model reads it. */
export type ToolResult = {
  readonly call: string;
  readonly name: string;
  readonly output: string;
  readonly failed?: true;
};

/** A tool as a model is offered it; `input` is a JSON Schema. */
export type ToolOffer = {
  readonly name: string;
  readonly description: string;
  readonly input: Readonly<Record<string, unknown>>;
};

/** A piece of the system prompt, with a cache breakpoint after it if `breakpoint` is set. */
export type Block = { readonly text: string; readonly breakpoint?: true };

/**
 * Everything one request contains, in the order models read it: tools, system, messages. Translate it for a client of
 * your own, or use a `Model`.
 */
export type Request = {
  readonly tools: readonly ToolOffer[];
  readonly system: readonly Block[];
  readonly messages: readonly (Message & { readonly breakpoint?: true })[];
  /** Requests with the same key share a prefix; some providers route by it. */
  readonly cacheKey?: string;
};

/** Tokens as the provider counted them; null where it did not say. `input` is the sum of read, written and fresh. */
export type Usage = {
  readonly input: number | null;
  readonly read: number | null;
  readonly written: number | null;
  readonly output: number | null;
};

/** Why a model stopped. */
export type Finish = "stop" | "tool-calls" | "length" | "content-filter" | "other";

/** What a model answered: text, tool calls, why it stopped, and what it used. */
export type Answer = {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finish: Finish;
  readonly usage: Usage;
  readonly native?: unknown;
};

/** Why there is no answer. `retry`: asking again may help, after `afterMs` if the provider said so. */
export type Fault = {
  readonly code: "model-busy" | "model-failed" | "model-cut" | "model-unreachable" | "model-rejected" | "model-aborted";
  readonly message: string;
  readonly retry: boolean;
  readonly afterMs?: number;
};

/** An answer, or the fault that prevented it. */
export type ModelResult =
  | { readonly answer: Answer; readonly fault?: undefined }
  | { readonly fault: Fault; readonly answer?: undefined };

/** A signal that stops the model, and a function that is called with its text as it arrives. */
export type AskOptions = {
  readonly signal: AbortSignal;
  /** Text as it arrives. It is a draft until `ask` returns an answer. */
  readonly onText?: (delta: string) => void;
};

/**
 * A model that can be asked. Implement it for a provider of your own, or to script one in tests. It returns faults and
 * never throws for what a provider did; it never retries by itself.
 */
export type Model = {
  /** What is known about it: window, price, cache rules. */
  readonly receiver: Receiver;
  /** Sends one request. */
  readonly ask: (request: Request, asking: AskOptions) => Promise<ModelResult>;
};
