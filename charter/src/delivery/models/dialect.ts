import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ModelRequest } from "../model.ts";
import type { CacheRules, Receiver } from "../receiver.ts";
import { formatOptions } from "./answer-format.ts";
import type { LanguageModel } from "./language-model.ts";

/** Where in a request a breakpoint may be asked for. */
export type Spot = "system" | "user" | "assistant-text" | "assistant-call" | "tool";

/** What the protocols do differently with the same request. */
export type ProviderDialect = {
  /**
   * "kept": every block of the system role arrives as one of its own. "joined": as one text, since the blocks carry
   * their own separators and a provider's would come between them; a breakpoint still ends one and begins the next.
   */
  readonly blocks: "kept" | "joined";
  /** What makes a text end in a breakpoint; undefined where the protocol has no place for one. */
  readonly breakpoint: (spot: Spot, text: string) => SharedV4ProviderOptions | undefined;
  /** A breakpoint is put in the place of a message's content, so one with attachments cannot have it. */
  readonly replaces?: true;
  /** The bytes of a file stand in an object of their own, or, in older versions of the AI SDK, as they are. */
  readonly files: "wrapped" | "bare";
  /** A call goes back as the JSON its model wrote, where the provider's package takes that; else as what it says. */
  readonly calls: "written" | "parsed";
  /** How a failed tool result is sent so that its words arrive as they are. */
  readonly failure: "error-text" | "text";
  /** What goes with the request as a whole. */
  readonly options: (request: ModelRequest) => SharedV4ProviderOptions;
  /** What goes with what the answer must be. */
  readonly format: (output: NonNullable<ModelRequest["output"]>) => SharedV4ProviderOptions;
};

type Protocol = Omit<ProviderDialect, "calls" | "files" | "format">;

const nowhere = () => undefined;
const plain: Protocol = {
  blocks: "joined",
  breakpoint: nowhere,
  failure: "text",
  options: () => ({}),
};

/**
 * How to speak to a provider's model, by the name the AI SDK gives its provider. Breakpoints are only ever set where
 * the receiver's cache rules count them: an older model behind the same protocol may reject them.
 */
export function dialectOf(
  { provider, specificationVersion, modelId }: Pick<LanguageModel, "provider" | "specificationVersion" | "modelId">,
  receiver: Receiver,
): ProviderDialect {
  const written = specificationVersion === "v4" && takesWritten.test(provider);
  return {
    ...protocolOf(provider, modelId, receiver),
    calls: written ? "written" : "parsed",
    files: specificationVersion === "v4" ? "wrapped" : "bare",
    format: (output) => formatOptions(provider, output),
  };
}

/** The packages of AI SDK 7 that send a call's JSON as it was written. Others would quote it once more. */
const takesWritten =
  /^(?:(?:.+\.)?anthropic\.messages|openai\.(?:responses|chat)|google\..+|(?:openrouter|azure|ollama|openai-compatible)\.chat)$/;

function protocolOf(provider: string, model: string, { cache }: Receiver): Protocol {
  if (/(^|\.)anthropic\.messages$/.test(provider)) return anthropic(cache);
  if (provider === "openai.responses") return openaiResponses(cache);
  if (provider === "openai.chat") return openaiChat(cache);
  if (provider.startsWith("google.")) return { ...plain, failure: "error-text" };
  if (provider === "openrouter.chat" && model.startsWith("anthropic/")) return openrouterAnthropic(cache);
  return plain;
}

function anthropic(cache: CacheRules): Protocol {
  const options = { anthropic: { cacheControl: cacheControl(cache) } };
  return { ...plain, blocks: "kept", failure: "error-text", breakpoint: marks(cache) ? () => options : nowhere };
}

const openaiBreakpoint = { openai: { promptCacheBreakpoint: { mode: "explicit" } } };

/** `store: false`: nothing is kept at the provider, so the history is sent whole, its reasoning in encrypted form. */
function openaiResponses(cache: CacheRules): Protocol {
  const spots: readonly Spot[] = ["system", "user", "tool"];
  return {
    ...plain,
    breakpoint: (spot) => (marks(cache) && spots.includes(spot) ? openaiBreakpoint : undefined),
    options: (request) => ({ openai: { store: false, ...openaiCache(request, cache) } }),
  };
}

function openaiChat(cache: CacheRules): Protocol {
  return {
    ...plain,
    breakpoint: (spot) => (marks(cache) && spot !== "assistant-call" ? openaiBreakpoint : undefined),
    options: (request) => ({ openai: openaiCache(request, cache) }),
  };
}

/** OpenAI sets a breakpoint of its own at the end of a request, unless the receiver's rules say that it does not. */
function openaiCache({ cacheKey }: ModelRequest, cache: CacheRules) {
  return {
    ...(cacheKey === undefined ? {} : { promptCacheKey: cacheKey }),
    ...(cache.kind === "breakpoint" && !cache.implicit ? { promptCacheOptions: { mode: "explicit" } } : {}),
  };
}

/** Anthropic's marks in the form of OpenAI's chat: what is given here replaces the message's plain content. */
function openrouterAnthropic(cache: CacheRules): Protocol {
  const spots: readonly Spot[] = ["system", "user", "tool"];
  const marked = (text: string) => [{ type: "text", text, cache_control: cacheControl(cache) }];
  return {
    ...plain,
    replaces: true,
    breakpoint: (spot, text) =>
      marks(cache) && spots.includes(spot) ? { openaiCompatible: { content: marked(text) } } : undefined,
  };
}

/** Anthropic's mark. Its cache holds for five minutes, or for an hour where the receiver's rules say more. */
export function cacheControl(cache: CacheRules): { type: "ephemeral"; ttl?: "1h" } {
  return cache.kind !== "none" && cache.ttlSeconds > 300 ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}

function marks({ kind }: CacheRules): boolean {
  return kind === "breakpoint";
}
