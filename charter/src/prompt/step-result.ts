import type { Notice } from "./reading.ts";

/**
 * Content that a provider wants back unchanged: signed or encrypted reasoning, files, uses of its own tools. Plain JSON. It is
 * sent only to the model of this name, in the form it came in, as long as the message still has the same text and calls; else the
 * text and the calls are sent.
 */
export type Native =
  | {
      /** The `name` of the receiver that answered. */
      readonly model: string;
      /**
       * The format of the content; a `Model` of your own may name one of its own. Without it, the content is the parts of an
       * answer in the AI SDK, with the JSON of a call as a text.
       */
      readonly form?: "anthropic" | "openai-responses" | "openai-chat" | (string & {});
      /** Blocks of Anthropic's message, items of OpenAI's response, or the one message of a chat completion, as they came. */
      readonly content: readonly object[];
    }
  /** The session of an agent over ACP. */
  | { readonly acp: object };

/** Text of others that came into a turn: the key that identifies it, and words for a person. */
export type ForeignText = {
  readonly key: string;
  /** A clause that goes on after “because”: “the page https://… was read in this conversation”. */
  readonly says: string;
  /** Set on pictures that the user sent themselves: the turn they came with. The user may say that they are their own. */
  readonly sentIn?: string;
  /** Says that the user has said so: they taint nothing any more. */
  readonly own?: true;
};

/** A tool call by the model. `input` is the JSON it wrote, valid or not. */
export type ToolCall = { readonly id: string; readonly name: string; readonly input: string };

/** The result of a tool call, as the model reads it. */
export type ToolResult = {
  readonly call: string;
  readonly name: string;
  readonly output: string;
  readonly failed?: true;
  /** Says that the output was longer than there was room for. The rest is kept, and can be read with the tool `read_result`. */
  readonly shortened?: true;
};

/** Tokens as the provider counted them; null where it did not say. `input` is the sum of read, written and fresh. */
export type Usage = {
  readonly input: number | null;
  readonly read: number | null;
  readonly written: number | null;
  readonly output: number | null;
};

/** The reason a model stopped. "pause": its provider interrupted it, and it goes on when its answer is sent back as it came. */
export type Finish = "stop" | "tool-calls" | "length" | "content-filter" | "pause" | "other";

/**
 * A block of reasoning that does not belong to the request it was in: the provider left it out ("thinking_dropped"), or showed it
 * to the model all the same ("thinking_mismatch_allowed").
 */
export type DroppedReasoning = {
  readonly type: "thinking_dropped" | "thinking_mismatch_allowed";
  /** Its place in the request: messages.{i}.content.{j}. */
  readonly path: string;
  /** What differs, in the provider's word. */
  readonly reason: string;
};

/** The reason there is no answer. `retry`: asking again may help, after `afterMs` if the provider said so. */
export type Fault = {
  readonly code: "model-busy" | "model-failed" | "model-cut" | "model-unreachable" | "model-rejected" | "model-aborted";
  readonly message: string;
  readonly retry: boolean;
  readonly afterMs?: number;
  /** Set when the request had more tokens than the model takes; `window` is the most it takes, if it said so. */
  readonly tooLong?: { readonly window?: number };
  /** The kind of attachment that the model does not take. */
  readonly refusedKind?: AttachmentKind;
  /** Says that this model answers nobody now, whatever is asked: its key is refused, its name unknown, its quota spent. */
  readonly outage?: true;
  /** Says that the provider's filter withheld the answer: another model may give one, this one would not. */
  readonly withheld?: true;
  /** Says that the request was refused because it has reasoning that is bound to other messages. */
  readonly bound?: true;
};

/** A use of a tool that is the receiver's own, not one of ours. The same id comes again when its status changes. */
export type OwnToolUse = {
  readonly id: string;
  readonly title: string;
  /** The kind of use: read, edit, delete, move, search, execute, think, fetch or other. */
  readonly kind: string;
  readonly status: "pending" | "running" | "done" | "failed";
  readonly paths: readonly string[];
  /** Says that it may have read what Charter cannot see, so the turn counts as tainted from now on. */
  readonly foreign: boolean;
};

/**
 * The result of a step, as it is recorded: the answer with its calls before a tool runs, their results after, the
 * provider's usage. The history of the session is made from it.
 */
export type StepResult = {
  /** The user's message as the model was given it, in a turn's first step. */
  readonly input?: string;
  /** Says that calls which a person had approved were made before it; the input says so. */
  readonly acted?: true;
  /** The model's answer. `native` is what its provider wants back unchanged. */
  readonly answer?: { readonly text: string; readonly calls: readonly ToolCall[]; readonly native?: Native };
  /** Results in the order of the calls; `whole` is a result before it was shortened for the model. */
  readonly results?: readonly (ToolResult & {
    readonly whole?: { readonly text: string; readonly foreign?: true };
  })[];
  readonly finish?: Finish;
  readonly usage?: Usage;
  /** Reasoning in the request that the provider left out, or should have. */
  readonly dropped?: readonly DroppedReasoning[];
  /** The text of an answer that was never finished. */
  readonly partial?: string;
  /** The correction the model was sent, where its answer was empty or did not have the required format. */
  readonly correction?: string;
  /** Messages of the user while its calls ran; the model gets them after the results. */
  readonly steering?: readonly string[];
  /** The model's summary of the history, where the step asked for nothing else. */
  readonly summary?: string;
  /** The reason the turn ended with this step, where it did without an answer. */
  readonly because?: { readonly code: string; readonly message: string };
  readonly faults?: readonly Fault[];
  /** Tools of its own that the receiver used while it answered. */
  readonly ownTools?: readonly Omit<OwnToolUse, "foreign">[];
  readonly notices?: readonly Notice[];
  /** The body of its request as it went out, if the model said so. */
  readonly sent?: object;
  /** Second opinions that were asked for while its tools ran. */
  readonly opinions?: readonly { readonly model: string; readonly usage: Usage; readonly cost: number | null }[];
};

/**
 * A picture or a file that came with an input: what is known of it. Its bytes are kept once, by their digest, and are in a
 * request only as `data`.
 */
export type Attachment = {
  /** SHA-256 of its bytes, in lower-case hex. */
  readonly digest: string;
  readonly mediaType: string;
  /** Size in bytes. */
  readonly bytes: number;
  readonly name?: string;
  /** Width and height of a picture, in pixels, where its bytes say so. */
  readonly width?: number;
  readonly height?: number;
  /** Approximate number of pages of a document. */
  readonly pages?: number;
};

/** The kind of content a receiver must support to take it. Text is sent as text, and everyone takes that. */
export type AttachmentKind = "image" | "pdf" | "text";

/**
 * Tokens of one request as the provider counted them: all input, read from the cache and written to it. Null where it did not
 * say.
 */
export type CacheCount = {
  readonly input: number | null;
  readonly read: number | null;
  readonly written: number | null;
};

/**
 * The cache after a request. `stable`: the share of the request, in thousandths, that a provider keeps which does not count what
 * it writes.
 */
export type CacheLeft = CacheCount & { readonly stable: number | null };

/** Minimum share of the cached tokens that a request without a miss reads again; less than all, since providers round. */
const minReadShare = 0.9;

/**
 * Tells whether a request missed the cache: it read less than the request before it in its session had left there. That is what
 * the earlier one read and wrote or, where writing is not counted, its stable beginning. Both numbers are the provider's own, so
 * tokens it did not count were not missed, nor were those that the request was too short for. This is worked out once, when a
 * step ends, and kept with the step, where all who report misses read it.
 */
export function missesCache(before: CacheLeft, { input, read }: CacheCount): boolean {
  if (read === null || before.read === null) return false;
  const kept = ((before.stable ?? 0) * (before.input ?? 0)) / 1000;
  const left = Math.max(before.read + (before.written ?? 0), kept);
  return read < minReadShare * (input === null ? left : Math.min(left, input));
}
