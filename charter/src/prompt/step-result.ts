import type { Notice } from "./reading.ts";

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

/** Tokens as the provider counted them; null where it did not say. `input` is the sum of read, written and fresh. */
export type Usage = {
  readonly input: number | null;
  readonly read: number | null;
  readonly written: number | null;
  readonly output: number | null;
};

/** Why a model stopped. */
export type Finish = "stop" | "tool-calls" | "length" | "content-filter" | "other";

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

/**
 * The result of a step, as it is recorded: the answer with its calls before a tool runs, their results after, the
 * provider's usage. The history of the session is made from it.
 */
export type StepResult = {
  /** The user's message as the model was given it, in a turn's first step. */
  readonly input?: string;
  /** Calls that a person had approved were made before it; the input says so. */
  readonly acted?: true;
  /** What the model answered. `native` is what its provider wants back unchanged. */
  readonly answer?: { readonly text: string; readonly calls: readonly ToolCall[]; readonly native?: Native };
  /** In the order of the calls; `whole` is what a result was before it was shortened for the model. */
  readonly results?: readonly (ToolResult & {
    readonly whole?: { readonly text: string; readonly foreign?: true };
  })[];
  readonly finish?: Finish;
  readonly usage?: Usage;
  /** What had been written of an answer that was never finished. */
  readonly partial?: string;
  /** What the model was told was wrong with its answer, where that was not what it had to be. */
  readonly correction?: string;
  /** What the user said while its calls ran: told after their results. */
  readonly steering?: readonly string[];
  /** What was said before, in the model's words: that was all that was asked for. */
  readonly summary?: string;
  /** Why the turn ended with it, where it did without an answer. */
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
 * A picture or a file that came with an input: what is known of it. Its bytes are kept once, by their digest, and are in
 * a request only as `data`.
 */
export type Attachment = {
  /** SHA-256 of its bytes, in lower-case hex. */
  readonly digest: string;
  readonly mediaType: string;
  /** Its size. */
  readonly bytes: number;
  readonly name?: string;
  /** Of a picture, in pixels, where its bytes say so. */
  readonly width?: number;
  readonly height?: number;
  /** Of a document, about. */
  readonly pages?: number;
};

/** What a receiver has to be able to take it. Text is sent as text, and everyone takes that. */
export type AttachmentKind = "image" | "pdf" | "text";

/** What a provider counted of one request: all of it, what was read from the cache and written to it. Null where it did not say. */
export type CacheCount = {
  readonly input: number | null;
  readonly read: number | null;
  readonly written: number | null;
};

/** A request as it left the cache. `stable`: so many thousandths of it a provider keeps that does not count what it writes. */
export type CacheLeft = CacheCount & { readonly stable: number | null };

/** So much of what was left in the cache is read again where nothing was missed: providers round. */
const mostOfIt = 0.9;

/**
 * Whether a request missed the cache: less was read than the request before it in its session had left there. That is what
 * it read and wrote or, where writing is not counted, its stable beginning; by the provider's own count, so that what it
 * did not count was not missed, nor what the request was too short for. This is worked out once, when a step ends, and kept
 * with it; whoever tells of misses reads that.
 */
export function missesCache(before: CacheLeft, { input, read }: CacheCount): boolean {
  if (read === null || before.read === null) return false;
  const kept = ((before.stable ?? 0) * (before.input ?? 0)) / 1000;
  const left = Math.max(before.read + (before.written ?? 0), kept);
  return read < mostOfIt * (input === null ? left : Math.min(left, input));
}
