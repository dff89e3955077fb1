import type { Receiver } from "./receiver.ts";

/**
 * One message of a history, in words every receiver's protocol can be made of. `system` is an update or the state,
 * where the receiver has such a role inside its history; `native` is what the provider wants back verbatim with an
 * answer of its own (signed reasoning, say).
 */
export type Message =
  | {
      readonly role: "system" | "user";
      readonly text: string;
      /** It tells of this section's new words; once they are in the prefix it is told no more. */
      readonly update?: string;
    }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly ToolCall[];
      readonly native?: unknown;
    }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

/** `input` is the JSON the model wrote, sound or not. */
export type ToolCall = { readonly id: string; readonly name: string; readonly input: string };

export type ToolResult = {
  readonly call: string;
  readonly name: string;
  readonly output: string;
  readonly failed?: true;
};

/** A tool as a model is told of it; `input` is a JSON Schema. */
export type ToolOffer = {
  readonly name: string;
  readonly description: string;
  readonly input: Readonly<Record<string, unknown>>;
};

/** Words of the system role. A breakpoint stands after them. */
export type Block = { readonly text: string; readonly breakpoint?: true };

/** Everything one step sends, in the order in which the receiver reads it: tools, system, messages. */
export type Request = {
  readonly tools: readonly ToolOffer[];
  readonly system: readonly Block[];
  readonly messages: readonly (Message & { readonly breakpoint?: true })[];
  /** Requests with the same key share a prefix: what a provider may route by. */
  readonly cacheKey?: string;
};

/** In tokens, as the provider counted them; null where it did not say. `input` is all of it: read, written and fresh. */
export type Usage = {
  readonly input: number | null;
  readonly read: number | null;
  readonly written: number | null;
  readonly output: number | null;
};

export type Finish = "stop" | "tool-calls" | "length" | "content-filter" | "other";

export type Answer = {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finish: Finish;
  readonly usage: Usage;
  readonly native?: unknown;
};

/** Why there is no answer. `retry`: asking again may help, after `afterMs` where the provider said so. */
export type Fault = {
  readonly code: "model-busy" | "model-failed" | "model-cut" | "model-unreachable" | "model-rejected" | "model-aborted";
  readonly message: string;
  readonly retry: boolean;
  readonly afterMs?: number;
};

export type ModelResult =
  | { readonly answer: Answer; readonly fault?: undefined }
  | { readonly fault: Fault; readonly answer?: undefined };

export type AskOptions = {
  readonly signal: AbortSignal;
  /** Words as they come. They are a draft until `ask` gives an answer. */
  readonly onText?: (delta: string) => void;
};

/** What can be asked. It never throws for what a provider did, and never retries by itself. */
export type Model = {
  readonly receiver: Receiver;
  readonly ask: (request: Request, asking: AskOptions) => Promise<ModelResult>;
};
