import type { Receipt } from "../prompt/receipt.ts";
import type {
  Attachment,
  Fault,
  Finish,
  Native,
  OwnToolUse,
  ToolCall,
  ToolResult,
  Usage,
} from "../prompt/step-result.ts";
import type { CacheRules, Receiver } from "./receiver.ts";

export type { Fault, Finish, Native, OwnToolUse, ToolCall, ToolResult, Usage } from "../prompt/step-result.ts";

/** One message of a conversation, in a form that every provider's protocol can be made from. */
export type Message =
  | {
      readonly role: "system" | "user";
      readonly text: string;
      /** Pictures and files that came with it. In a request they have their bytes, as base64, in `data`. */
      readonly attachments?: readonly (Attachment & { readonly data?: string })[];
      /** It contains this section's new text. Once that is in the prefix, the message is left out. */
      readonly update?: string;
    }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly ToolCall[];
      readonly native?: Native | undefined;
    }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

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
export type ModelRequest = {
  readonly tools: readonly ToolOffer[];
  readonly system: readonly Block[];
  readonly messages: readonly (Message & { readonly breakpoint?: true })[];
  /** Requests with the same key share a prefix; some providers route by it. */
  readonly cacheKey?: string;
  /** The conversation it belongs to, for receivers that keep it themselves. */
  readonly session?: RequestSession;
  /** None of its tools may be called. They are offered all the same, so that the cache still holds. */
  readonly toolChoice?: "none";
  /** The most tokens of its answer, where that is less than the receiver has. */
  readonly answerTokens?: number;
  /** What the final answer must be, as JSON Schema. */
  readonly output?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
};

/** The conversation a request belongs to, and whose it is: a receiver that keeps it is sent only what is new. */
export type RequestSession = {
  /** The id of our session. */
  readonly id: string;
  readonly agent: string;
  readonly user?: string;
  /** The turn is the operator's own, not one that a service takes for a user. */
  readonly operator: boolean;
  /** So many of the messages are the history; what comes after them is the state of now. */
  readonly history: number;
};

/** What a model answered: text, tool calls, why it stopped, and what it used. */
export type Answer = {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finish: Finish;
  readonly usage: Usage;
  readonly native?: Native;
  /** The results of its calls, if it had them run while it answered (`onCall`): then it is final. */
  readonly results?: readonly ToolResult[];
  /** What it cost in dollars, if the receiver said so. */
  readonly cost?: number;
};

/** An answer, or the fault that prevented it; and what was posted for it, if the model says so. */
export type ModelResult = { readonly sent?: SentBody } & (
  | { readonly answer: Answer; readonly fault?: undefined }
  | { readonly fault: Fault; readonly answer?: undefined }
);

/** The body of a request as it went out, by its digest: where to, and which package made it. */
export type SentBody = {
  readonly digest: string;
  /** Without what may be a secret in it. */
  readonly address: string;
  readonly package: string;
  readonly version: string;
  /** The cache rules it was made by, where they were not the usual ones. */
  readonly cache?: CacheRules;
  /** Control tokens stood in its words, and were sent escaped. */
  readonly escaped?: true;
};

/**
 * Where a receiver that keeps the conversation takes the system prompt: in the protocol's own field, in one of two
 * extensions of it, or at the start of the first message.
 */
export type IdentitySlot = "system-prompt" | "meta-append" | "meta-buzz" | "first-message";

/** A conversation that is ready for a request. `fresh`: the receiver has nothing of it yet. */
export type PreparedSession = { readonly slot: IdentitySlot; readonly fresh: boolean };

/** A conversation that is ready, or the fault that prevented it. */
export type PrepareResult =
  | { readonly prepared: PreparedSession; readonly fault?: undefined }
  | { readonly fault: Fault; readonly prepared?: undefined };

/** A signal that stops the model, and a function that is called with its text as it arrives. */
export type AskOptions = {
  readonly signal: AbortSignal;
  /** Text as it arrives. It is a draft until `ask` returns an answer. */
  readonly onText?: (delta: string) => void;
  /** Runs a call of one of the request's tools while the receiver answers. It never rejects. */
  readonly onCall?: (call: ToolCall) => Promise<ToolResult>;
  /** Is told of each use of a tool that is the receiver's own, and of what becomes of it. */
  readonly onOwnTool?: (use: OwnToolUse) => void;
  /** Decides whether the receiver may use a tool of its own this once. It never rejects. */
  readonly onPermission?: (asked: PermissionRequest) => Promise<"allow" | "deny">;
};

/** What is done with a receiver's request for permission: it is allowed, denied, or held for a person. */
export type Permission = "allow" | "deny" | "hold";

/** A receiver asks whether it may use a tool of its own, and what its configuration says to that. */
export type PermissionRequest = Pick<OwnToolUse, "id" | "title" | "kind" | "paths"> & {
  /** The tool's arguments, as the receiver gave them. */
  readonly input: unknown;
  readonly policy: Permission;
};

/**
 * A model that can be asked. Implement it for a provider of your own, or to script one in tests. It returns faults and
 * never throws for what a provider did; it never retries by itself.
 */
export type Model = {
  /** What is known about it: window, price, cache rules. */
  readonly receiver: Receiver;
  /** Where it is served. What is learned of a model holds for its name at this address. */
  readonly address?: string;
  /** It sends a request's `output` in its own way. One that does not say so is told in words, behind all else. */
  readonly takesOutput?: true;
  /** It heeds a request's `toolChoice`. One that does not say so is offered no tools instead. */
  readonly takesToolChoice?: true;
  /** Asks the server for the most tokens a request may have; null if it does not say. It never rejects. */
  readonly askWindow?: (options: Pick<AskOptions, "signal">) => Promise<number | null>;
  /**
   * Of a receiver that keeps the conversation: called before a request is made, to find out where its system prompt will
   * be put. Sends nothing of the request.
   */
  readonly prepare?: (
    session: Omit<RequestSession, "history">,
    options: Pick<AskOptions, "signal">,
  ) => Promise<PrepareResult>;
  /** Sends one request. */
  readonly ask: (request: ModelRequest, asking: AskOptions) => Promise<ModelResult>;
};

const places: Readonly<Record<IdentitySlot, string>> = {
  "system-prompt": "in the agent's system prompt field",
  "meta-append": "through the agent's _meta extension systemPrompt.append",
  "meta-buzz": "through the agent's _meta extension buzz.systemPrompt",
  "first-message": "at the start of the first message",
};

/** Where the system prompt of a request went, and when, in words: for a receiver that keeps the conversation itself. */
export function identityText({ slot, sent }: NonNullable<Receipt["identity"]>): string {
  const place = Object.hasOwn(places, slot) ? places[slot as IdentitySlot] : `in the slot “${slot}”`;
  return `${place}, with ${sent ? "this request" : "an earlier request"}`;
}

/** A slot of a request by its name; the system's also by where such a receiver was given it. */
export function slotText(slot: string, { identity }: Pick<Receipt, "identity">): string {
  return slot === "system" && identity ? `${slot}, ${identityText(identity)}` : slot;
}
