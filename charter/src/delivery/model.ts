import type { Attachment, AttachmentKind } from "../prompt/attachment.ts";
import type { CacheRules, Receiver } from "./receiver.ts";

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

/**
 * What the maker of an answer wants back unchanged: signed or encrypted reasoning, files, uses of its own tools. Plain JSON.
 * It is sent to the model of this name alone, in the form it came in, as long as the message has the text and the calls that
 * are in it; else the text and the calls are sent.
 */
export type Native =
  | {
      /** The `name` of the receiver that answered. */
      readonly model: string;
      /**
       * Whose form the content has; a `Model` of your own may name one of its own. Without one it has the parts of an answer in
       * the AI SDK, with the JSON of a call as a text.
       */
      readonly form?: "anthropic" | "openai-responses" | "openai-chat" | (string & {});
      /** Blocks of Anthropic's message, items of OpenAI's response, the one message of a chat completion: as they came. */
      readonly content: readonly object[];
    }
  /** The session of an agent over ACP. */
  | { readonly acp: object };

/** A tool call by the model. `input` is the JSON it wrote, valid or not. */
export type ToolCall = { readonly id: string; readonly name: string; readonly input: string };

/** The result of a tool call, as the model reads it. */
export type ToolResult = {
  readonly call: string;
  readonly name: string;
  readonly output: string;
  readonly failed?: true;
  /** The output was longer than there was room for. The rest is kept, and can be read with the tool `read_result`. */
  readonly shortened?: true;
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
  readonly native?: Native;
  /** The results of its calls, if it had them run while it answered (`onCall`): then it is final. */
  readonly results?: readonly ToolResult[];
  /** What it cost in dollars, if the receiver said so. */
  readonly cost?: number;
};

/** Why there is no answer. `retry`: asking again may help, after `afterMs` if the provider said so. */
export type Fault = {
  readonly code: "model-busy" | "model-failed" | "model-cut" | "model-unreachable" | "model-rejected" | "model-aborted";
  readonly message: string;
  readonly retry: boolean;
  readonly afterMs?: number;
  /** The request had more tokens than the model takes; `window` is the most it takes, if it said so. */
  readonly tooLong?: { readonly window?: number };
  /** The model takes no attachments of this kind. */
  readonly refusedKind?: AttachmentKind;
  /** Nobody gets an answer of this model now, whatever is asked: its key is refused, its name unknown, its quota spent. */
  readonly outage?: true;
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

/** A use of a tool that is the receiver's own, not one of ours. The same id is told again when its status changes. */
export type OwnToolUse = {
  readonly id: string;
  readonly title: string;
  /** read, edit, delete, move, search, execute, think, fetch or other. */
  readonly kind: string;
  readonly status: "pending" | "running" | "done" | "failed";
  readonly paths: readonly string[];
  /** It may have read what we cannot see, so the turn counts as tainted from now on. */
  readonly foreign: boolean;
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
