import type { Receipt } from "../prompt/receipt.ts";
import type {
  Attachment,
  DroppedReasoning,
  Fault,
  Finish,
  Native,
  OwnToolUse,
  ToolCall,
  ToolResult,
  Usage,
} from "../prompt/step-result.ts";
import type { CacheRules, Receiver } from "./receiver.ts";

export type {
  DroppedReasoning,
  Fault,
  Finish,
  Native,
  OwnToolUse,
  ToolCall,
  ToolResult,
  Usage,
} from "../prompt/step-result.ts";

/** A message of a conversation, in a form that every provider's protocol can be made from. */
export type Message =
  | {
      readonly role: "system" | "user";
      readonly text: string;
      /** Pictures and files that came with the message. In a request they have their bytes, as base64, in `data`. */
      readonly attachments?: readonly (Attachment & { readonly data?: string })[];
      /** Name of the section whose new text the message contains. Once that text is in the prefix, the message is left out. */
      readonly update?: string;
      /** Shows that the receiver forgets the message with the next one of the user. */
      readonly clears?: true;
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
 * A complete request, in the order models read it: tools, system, messages. Translate it for a client of your own, or use a
 * `Model`.
 */
export type ModelRequest = {
  readonly tools: readonly ToolOffer[];
  readonly system: readonly Block[];
  readonly messages: readonly (Message & { readonly breakpoint?: true })[];
  /** Key that requests with a common prefix share; some providers route by it. */
  readonly cacheKey?: string;
  /** The conversation of the request, for receivers that keep it themselves. */
  readonly session?: RequestSession;
  /** Forbids tool calls. The tools are offered all the same, so that the cache still holds. */
  readonly toolChoice?: "none";
  /** Maximum tokens of the answer, where that is less than the receiver has. */
  readonly answerTokens?: number;
  /** The required form of the final answer, as JSON Schema. */
  readonly output?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
};

/** The conversation of a request, and its owner: a receiver that keeps it is sent only new messages. */
export type RequestSession = {
  /** The id of our session. */
  readonly id: string;
  readonly agent: string;
  readonly user?: string;
  /** Shows that the turn is the operator's own, not one that a service takes for a user. */
  readonly operator: boolean;
  /** Number of messages that are the history; the current state comes after them. */
  readonly history: number;
};

/** The answer of a model: text, tool calls, why it stopped, and its usage. */
export type Answer = {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finish: Finish;
  readonly usage: Usage;
  readonly native?: Native;
  /** What the provider left out of the request, or should have. */
  readonly dropped?: readonly DroppedReasoning[];
  /** The results of its calls, if the model had them run while it answered (`onCall`): then it is final. */
  readonly results?: readonly ToolResult[];
  /** The cost in dollars, if the receiver reported it. */
  readonly cost?: number;
};

/** An answer, or the fault that prevented it; and the body that was posted, if the model reports it. */
export type ModelResult = { readonly sent?: SentBody } & (
  | { readonly answer: Answer; readonly fault?: undefined }
  | { readonly fault: Fault; readonly answer?: undefined }
);

/** The body of a request as it was sent, by its digest: its address, and the package that made it. */
export type SentBody = {
  readonly digest: string;
  /** The address, without parts that may be a secret. */
  readonly address: string;
  readonly package: string;
  readonly version: string;
  /** The cache rules it was made by, where they were not the usual ones. */
  readonly cache?: CacheRules;
  /** Shows that its text contained control tokens, which were sent escaped. */
  readonly escaped?: true;
};

/**
 * The place where a receiver that keeps the conversation takes the system prompt: the protocol's own field, one of two extensions
 * of it, or the start of the first message.
 */
export type IdentitySlot = "system-prompt" | "meta-append" | "meta-buzz" | "first-message";

/** A conversation that is ready for a request. `fresh`: the receiver has nothing of it yet. */
export type PreparedSession = { readonly slot: IdentitySlot; readonly fresh: boolean };

/** A conversation that is ready, or the fault that prevented it. */
export type PrepareResult =
  | { readonly prepared: PreparedSession; readonly fault?: undefined }
  | { readonly fault: Fault; readonly prepared?: undefined };

/** A signal that stops the model, and functions that it calls while it answers. */
export type AskOptions = {
  readonly signal: AbortSignal;
  /** Receives text as it arrives. It is a draft until `ask` returns an answer. */
  readonly onText?: (delta: string) => void;
  /** Runs a call of one of the request's tools while the receiver answers. It never rejects. */
  readonly onCall?: (call: ToolCall) => Promise<ToolResult>;
  /** Receives each use of the receiver's own tools, with its progress. */
  readonly onOwnTool?: (use: OwnToolUse) => void;
  /** Decides whether the receiver may use a tool of its own this once. It never rejects. */
  readonly onPermission?: (asked: PermissionRequest) => Promise<"allow" | "deny">;
};

/** The answer to a receiver's request for permission: allowed, denied, or held for a person. */
export type Permission = "allow" | "deny" | "hold";

/** A receiver's request to use a tool of its own, and the policy its configuration has for it. */
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
  /** Facts about the model: window, price, cache rules. */
  readonly receiver: Receiver;
  /** The address that serves it. What is learned about a model applies to its name at this address. */
  readonly address?: string;
  /** Shows that it sends a request's `output` in its own way. Other models are told the form in words, after all else. */
  readonly takesOutput?: true;
  /** Shows that it obeys a request's `toolChoice`. Other models are offered no tools instead. */
  readonly takesToolChoice?: true;
  /** Asks the server for the most tokens a request may have; null if it does not say. It never rejects. */
  readonly askWindow?: (options: Pick<AskOptions, "signal">) => Promise<number | null>;
  /**
   * Prepares a conversation before a request is made, and returns where its system prompt will be put; for receivers that keep
   * the conversation. Sends nothing of the request.
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

/** Says in words where the system prompt of a request went, and when: for a receiver that keeps the conversation itself. */
export function identityText({ slot, sent }: NonNullable<Receipt["identity"]>): string {
  const place = Object.hasOwn(places, slot) ? places[slot as IdentitySlot] : `in the slot “${slot}”`;
  return `${place}, with ${sent ? "this request" : "an earlier request"}`;
}

/** Names a slot of a request; for the system also where a receiver that keeps the conversation was given it. */
export function slotText(slot: string, { identity }: Pick<Receipt, "identity">): string {
  return slot === "system" && identity ? `${slot}, ${identityText(identity)}` : slot;
}
