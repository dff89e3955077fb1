import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { defined, isRecord } from "../../prompt/argument.ts";
import { type ToolChange, toolsUpdate } from "../baseline.ts";
import type { Block, Message, ModelRequest, ToolOffer, ToolResult } from "../model.ts";
import type { CacheRules, Receiver } from "../receiver.ts";
import { type AnswerPart, answerParts, soundInput, soundName } from "./answer.ts";
import { changeJson, createUnescaper, unescapeTokens } from "./escape.ts";
import { errorWords } from "./fault.ts";
import type { LanguageModel } from "./model-entry.ts";

type AskedReceiver = Pick<Receiver, "name" | "output" | "reasoning" | "roles">;

/** Converts a request to the form the AI SDK's providers take: every text as it is, every breakpoint in its place. */
export function callOptions(
  request: ModelRequest,
  { name: model, output, reasoning, roles }: AskedReceiver,
  dialect: ProviderDialect,
): LanguageModelV4CallOptions {
  const { system, messages, tools, answerTokens = output } = request;
  const merged = roles === "alternate" ? mergeMessages(messages) : messages;
  const relayed = dialect.relays ? withRelayed(merged) : merged;
  const sent = dialect.lifts && system.every(({ text }) => text === "") ? relayed.map(unlifted) : relayed;
  return {
    prompt: [...systemMessages(system, dialect), ...sent.flatMap((message) => wireMessage(message, model, dialect))],
    ...defined({ maxOutputTokens: answerTokens, reasoning }),
    ...(tools.length > 0 ? { tools: tools.map(functionTool) } : {}),
    ...(request.toolChoice ? { toolChoice: { type: request.toolChoice } } : {}),
    ...(request.output ? responseFormat(request.output) : {}),
    providerOptions: request.output
      ? mergedOptions(dialect.options(request), dialect.format(request.output))
      : dialect.options(request),
  };
}

/**
 * Relays what a user says while tools run in a message of the system: in the user's role it would stand right after the results,
 * where the model may take its turn for ended. Where it stands is the same in every later request.
 */
function withRelayed(messages: readonly SentMessage[]): readonly SentMessage[] {
  let isAfterResults = false;
  return messages.map((message) => {
    if (message.role === "tool") isAfterResults = true;
    if (message.role === "assistant") isAfterResults = false;
    if (message.role !== "user" || !isAfterResults || message.update !== undefined || message.attachments)
      return message;
    return { ...message, role: "system", text: `While you were working, the user wrote:\n\n${message.text}` };
  });
}

/**
 * Gives a message of the system to the user: without other words of the system, the package would move it to the front of the
 * request, where it would change what was sent before. One that the receiver forgets stays, unless it is the first.
 */
function unlifted(message: SentMessage, index: number): SentMessage {
  if (message.role !== "system" || (message.clears && index > 0)) return message;
  const { clears: _clears, ...rest } = message;
  return { ...rest, role: "user" };
}

function functionTool({ name, description, input }: ToolOffer): LanguageModelV4FunctionTool {
  return {
    type: "function",
    name,
    description,
    inputSchema: input as LanguageModelV4FunctionTool["inputSchema"],
  };
}

function systemMessages(system: readonly Block[], dialect: ProviderDialect): LanguageModelV4Message[] {
  const blocks = system.filter(({ text }) => text !== "");
  return (dialect.blocks === "kept" ? blocks : joined(blocks, dialect)).map(({ text, breakpoint }) => ({
    role: "system" as const,
    content: text,
    ...marked(breakpoint, dialect, "system", text),
  }));
}

/** Joins blocks to one text for each run that ends in a breakpoint of the protocol, and one for the rest. */
export function joined(blocks: readonly Block[], dialect: ProviderDialect): Block[] {
  const runs: Block[] = [];
  for (const { text, breakpoint } of blocks) {
    const run = runs.at(-1);
    const ends = breakpoint && dialect.breakpoint("system", text) ? { breakpoint } : {};
    if (run && !run.breakpoint) runs[runs.length - 1] = { text: run.text + text, ...ends };
    else runs.push({ text, ...ends });
  }
  return runs;
}

function wireMessage(
  message: Message & { readonly breakpoint?: true },
  model: string,
  dialect: ProviderDialect,
): LanguageModelV4Message[] {
  const { breakpoint } = message;
  if (message.role === "tool") return [toolMessage(message.results, breakpoint, dialect)];
  if (message.role === "assistant") {
    const parts = answerParts(message, model);
    const content = markLast(
      parts.map((part) => parsedCall(part, dialect)),
      breakpoint,
      dialect,
    );
    return content.length > 0 ? [{ role: "assistant", content }] : [];
  }
  const { role, text, attachments = [], clears } = message;
  if (message.update === toolsUpdate && dialect.changesTools)
    return [{ role: "system", content: "", providerOptions: dialect.changesTools(JSON.parse(text)) }];
  // A message that is forgotten cannot end a cached part.
  if (role === "system" && clears && dialect.clearing)
    return [{ role, content: text, providerOptions: dialect.clearing }];
  const files = attachments.flatMap((one) => filePart(one, dialect));
  // Drops a breakpoint that would replace the content of a message with pictures.
  const mark = files.length > 0 && dialect.replaces ? {} : marked(breakpoint, dialect, role, text);
  if (role === "system") return [{ role, content: text, ...mark }];
  if (files.length > 0 && text === "") return [{ role, content: withMark(files, mark) }];
  return [{ role, content: [...files, { type: "text", text, ...mark }] }];
}

type FilePart = Extract<Extract<LanguageModelV4Message, { role: "user" }>["content"][number], { type: "file" }>;

/** Makes the part of a picture or a document; one without bytes was described in words. */
function filePart(
  { data, mediaType, name }: NonNullable<UserMessage["attachments"]>[number],
  { files }: ProviderDialect,
): FilePart[] {
  if (data === undefined) return [];
  const given = (files === "wrapped" ? { type: "data", data } : data) as FilePart["data"];
  return [{ type: "file", data: given, mediaType, ...defined({ filename: name }) }];
}

type UserMessage = Extract<Message, { role: "system" | "user" }>;

function withMark(files: readonly FilePart[], mark: { providerOptions?: SharedV4ProviderOptions }): FilePart[] {
  return files.map((file, index) => (index === files.length - 1 ? { ...file, ...mark } : file));
}

function parsedCall(part: AnswerPart, { calls }: ProviderDialect): AnswerPart {
  // Every package wants the value of a call that ran at its provider.
  if (part.type !== "tool-call" || (calls === "written" && !part.providerExecuted)) return part;
  return { ...part, input: JSON.parse(soundInput(String(part.input))) };
}

function toolMessage(
  results: readonly ToolResult[],
  breakpoint: true | undefined,
  dialect: ProviderDialect,
): LanguageModelV4Message {
  const last = results.length - 1;
  return {
    role: "tool",
    content: results.map(({ call, name, output, failed }, index) => ({
      type: "tool-result",
      toolCallId: call,
      toolName: soundName(name),
      output: { type: failed ? dialect.failure : "text", value: output },
      ...marked(index === last ? breakpoint : undefined, dialect, "tool", output),
    })),
  };
}

/** Puts a breakpoint on the last part that can carry one: reasoning cannot, and some protocols have no place at all. */
function markLast(parts: readonly AnswerPart[], breakpoint: true | undefined, dialect: ProviderDialect): AnswerPart[] {
  const mark = (part: AnswerPart) =>
    part.type === "text"
      ? dialect.breakpoint("assistant-text", part.text)
      : part.type === "tool-call"
        ? dialect.breakpoint("assistant-call", "")
        : undefined;
  const at = breakpoint ? parts.findLastIndex((part) => mark(part) !== undefined) : -1;
  return parts.map((part, index) =>
    index === at ? { ...part, providerOptions: mergedOptions(part.providerOptions, mark(part)) } : part,
  );
}

function marked(
  breakpoint: true | undefined,
  dialect: ProviderDialect,
  spot: Spot,
  text: string,
): { providerOptions?: SharedV4ProviderOptions } {
  const providerOptions = breakpoint && dialect.breakpoint(spot, text);
  return providerOptions ? { providerOptions } : {};
}

/** Merges options of two hands: the second wins, but what both list is kept. */
export function mergedOptions(one: SharedV4ProviderOptions = {}, other: SharedV4ProviderOptions = {}) {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const fields = Object.entries(other[name] ?? {}).map(([field, value]) => {
        const before = one[name]?.[field];
        return [field, Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : value];
      });
      return [name, { ...one[name], ...Object.fromEntries(fields) }];
    }),
  ) as SharedV4ProviderOptions;
}

/** Places of a request that may have a breakpoint. */
export type Spot = "system" | "user" | "assistant-text" | "assistant-call" | "tool";

/** The differences between protocols. */
export type ProviderDialect = {
  /**
   * "kept": every block of the system role arrives as one of its own. "joined": as one text, since the blocks carry their own
   * separators and a provider's would come between them; a breakpoint still ends one and begins the next.
   */
  readonly blocks: "kept" | "joined";
  /** Returns the options that end a text in a breakpoint; undefined where the protocol has no place for one. */
  readonly breakpoint: (spot: Spot, text: string) => SharedV4ProviderOptions | undefined;
  /** Shows that a breakpoint replaces a message's content, so that one with attachments cannot have it. */
  readonly replaces?: true;
  /** Shows that a user's words right after results are relayed by the system. */
  readonly relays?: boolean;
  /** Options of a message of the system that changes the tools. */
  readonly changesTools?: (change: ToolChange) => SharedV4ProviderOptions;
  /** Options of a message of the system that the receiver forgets with the next one of the user. */
  readonly clearing?: SharedV4ProviderOptions;
  /** Shows that, in a request without other words of the system, its package moves a message of the system to the front. */
  readonly lifts?: true;
  /** Form of a file's bytes: in an object of their own, or, in older versions of the AI SDK, bare. */
  readonly files: "wrapped" | "bare";
  /** Form of a call on its way back: the JSON its model wrote, where the provider's package takes that; else the parsed value. */
  readonly calls: "written" | "parsed";
  /** Form of a failed tool result in which its text arrives unchanged. */
  readonly failure: "error-text" | "text";
  /** Options of the request as a whole. */
  readonly options: (request: ModelRequest) => SharedV4ProviderOptions;
  /** Options for the form of the answer. */
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
 * Returns the dialect of a provider's model, by the name the AI SDK gives its provider. Breakpoints are only set where the
 * receiver's cache rules count them: an older model behind the same protocol may reject them.
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

/** Providers whose packages of AI SDK 7 send a call's JSON as it was written. Others would quote it once more. */
const takesWritten =
  /^(?:(?:.+\.)?anthropic\.messages|openai\.(?:responses|chat)|google\..+|(?:openrouter|azure|ollama|openai-compatible)\.chat)$/;

function protocolOf(provider: string, model: string, receiver: Receiver): Protocol {
  const { cache } = receiver;
  if (/(^|\.)anthropic\.messages$/.test(provider)) return anthropic(receiver);
  if (provider === "openai.responses") return openaiResponses(cache);
  if (provider === "openai.chat") return openaiChat(cache);
  if (provider.startsWith("google.")) return { ...plain, failure: "error-text" };
  if (provider === "openrouter.chat" && model.startsWith("anthropic/")) return openrouterAnthropic(cache);
  return plain;
}

/** Asks a model that binds reasoning to report what it drops: without this header it is silent. */
const reportsDropped = { anthropic: { anthropicBeta: ["thinking-binding-controls-2026-08-01"] } };

/** Tools are added as a whole: what is named there is offered from then on. */
function toolChanges({ added, removed }: ToolChange): SharedV4ProviderOptions {
  const changes = [
    ...removed.map((toolName) => ({ type: "tool_removal", toolName })),
    ...added.map((offer) => ({ type: "tool_addition", tool: functionTool(offer) })),
  ];
  return { anthropic: { toolChanges: changes } } as SharedV4ProviderOptions;
}

function anthropic({ cache, binds, voice }: Receiver): Protocol {
  const options = { anthropic: { cacheControl: cacheControl(cache) } };
  return {
    ...plain,
    blocks: "kept",
    failure: "error-text",
    breakpoint: marks(cache) ? () => options : nowhere,
    clearing: { anthropic: { clearAt: "next_user_message" } },
    changesTools: toolChanges,
    lifts: true,
    relays: voice === "system",
    ...(binds ? { options: () => reportsDropped } : {}),
  };
}

const openaiBreakpoint = { openai: { promptCacheBreakpoint: { mode: "explicit" } } };

/** Sets `store: false`: nothing is kept at the provider, so the history is sent whole, its reasoning in encrypted form. */
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

/**
 * Sets OpenAI's cache options: it sets a breakpoint of its own at the end of a request, unless the receiver's rules forbid that.
 */
function openaiCache({ cacheKey }: ModelRequest, cache: CacheRules) {
  return {
    ...defined({ promptCacheKey: cacheKey }),
    ...(cache.kind === "breakpoint" && !cache.implicit ? { promptCacheOptions: { mode: "explicit" } } : {}),
  };
}

/** Sets Anthropic's marks in the form of OpenAI's chat: they replace the message's plain content. */
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

/** Makes Anthropic's mark. Its cache lasts for five minutes, or for an hour where the receiver's rules say more. */
export function cacheControl(cache: CacheRules): { type: "ephemeral"; ttl?: "1h" } {
  return cache.kind !== "none" && cache.ttlSeconds > 300 ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}

function marks({ kind }: CacheRules): boolean {
  return kind === "breakpoint";
}

type Output = NonNullable<ModelRequest["output"]>;

/**
 * Returns true if a model has a field for the form of the answer. Gemini before 3 has none beside tools: its package would offer
 * one more tool and force a call of it.
 */
export function hasFormatField(
  { provider, modelId }: Pick<LanguageModel, "provider" | "modelId">,
  request: ModelRequest,
) {
  if (!provider.startsWith("google.")) return true;
  return request.tools.length === 0 || /gemini-(?:[3-9]|\d\d)/.test(modelId);
}

/** Converts the form of the answer for the AI SDK's providers. */
function responseFormat({ name, schema }: Output): Required<Pick<LanguageModelV4CallOptions, "responseFormat">> {
  type Format = Extract<NonNullable<LanguageModelV4CallOptions["responseFormat"]>, { type: "json" }>;
  return { responseFormat: { type: "json", name, schema: schema as NonNullable<Format["schema"]> } };
}

/**
 * Returns the options for the form of the answer. It is never sent as a tool: tools come first in a request, and another list of
 * them is another prefix. OpenAI enforces a schema strictly only where all fields of each object are required and no others are
 * allowed.
 */
function formatOptions(provider: string, { schema }: Output): SharedV4ProviderOptions {
  if (/(^|\.)anthropic\.messages$/.test(provider)) return { anthropic: { structuredOutputMode: "outputFormat" } };
  if (isStrict(schema)) return {};
  return { [provider.startsWith("openai.") ? "openai" : "openaiCompatible"]: { strictJsonSchema: false } };
}

function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isRecord(schema)) return true;
  const { properties, required, additionalProperties, type } = schema;
  const isObject = type === "object" || properties !== undefined;
  const names = Object.keys(isRecord(properties) ? properties : {});
  const all = names.every((name) => Array.isArray(required) && required.includes(name));
  if (isObject && !(all && additionalProperties === false)) return false;
  return Object.values(schema).every(isStrict);
}

/** Providers' and servers' messages that refuse a format, or this schema of it, as of November 2026. */
const refusals: readonly RegExp[] = [
  /response[_ .]?format|output[_ ]?(?:format|config)|structured output/i,
  /json[_ ]?schema|response[_ ]?(?:json)?[_ ]?schema|response mime type/i,
  /\bgrammar\b|guided[_ ](?:json|decoding)/i,
];

/** Returns true if a request was refused for its format. */
export function refusesFormat(error: unknown): boolean {
  const { statusCode = 0, responseBody, message } = Object(error) as Record<string, unknown> & { statusCode?: number };
  if (![400, 404, 405, 415, 422, 500, 501].includes(statusCode)) return false;
  const { texts } = errorWords(responseBody);
  return [...texts, String(message)].some((text) => refusals.some((words) => words.test(text)));
}

/**
 * Moves the form of the answer into a message at the end, for a receiver without a field for it: there the schema disturbs no
 * cached prefix.
 */
export function withOutputWords({ output, ...request }: ModelRequest): ModelRequest {
  if (output === undefined) return request;
  return { ...request, messages: [...request.messages, { role: "user", text: outputWords(output.schema) }] };
}

function outputWords(schema: Readonly<Record<string, unknown>>): string {
  return `[What the final answer must be]\nCall tools as you need. The final answer is JSON alone, with no word before or after it, and fits this JSON Schema:\n${JSON.stringify(schema)}`;
}

type SentMessage = Message & { readonly breakpoint?: true };

/**
 * Merges messages for a model whose chat template lets only user and assistant alternate, the user first: consecutive messages of
 * one role become one, and messages for the system get the user's role. No text is left out. A user's message after tool results
 * is appended to the last result, because such a template allows no user there.
 */
export function mergeMessages(messages: readonly SentMessage[]): SentMessage[] {
  const merged: SentMessage[] = [];
  for (const message of messages) {
    const next: SentMessage = message.role === "system" ? { ...message, role: "user" } : message;
    const last = merged.at(-1);
    const joined = last && joinMessages(last, next);
    if (last && speaks(last) !== speaks(next) && last.role === "user" && next.role === "user")
      merged.push({ role: "assistant", text: noted, calls: [] }, next);
    else if (joined) merged[merged.length - 1] = joined;
    else if (!last && next.role === "assistant") merged.push({ role: "user", text: nothingSaid }, next);
    else merged.push(next);
  }
  return merged;
}

/** Stands between words of the system in the user's role and a user's: in one message the mark would speak for both. */
const noted = "(Noted.)";

function speaks(message: SentMessage): boolean {
  return message.role === "user" && message.update !== undefined && /^\[system [0-9a-f]{8}\]/.test(message.text);
}

/** Opening for a conversation that begins with the assistant's own message, which a schedule sent. */
const nothingSaid = "(Nothing was said before this.)";

function joinMessages(last: SentMessage, next: SentMessage): SentMessage | undefined {
  const mark = next.breakpoint ? { breakpoint: next.breakpoint } : {};
  const { breakpoint: _mark, ...first } = last;
  if (first.role === "user" && next.role === "user")
    return { ...first, text: joinWords(first.text, next.text), ...bothAttachments(first, next), ...mark };
  // Pictures have no place in a tool's result.
  if (first.role === "tool" && next.role === "user" && !next.attachments)
    return { ...first, results: withWords(first.results, next.text), ...mark };
  if (first.role === "tool" && next.role === "tool")
    return { ...first, results: [...first.results, ...next.results], ...mark };
  // Drops native content, which belongs to one answer alone; an answer with calls is never merged, because their results follow
  // it.
  if (first.role === "assistant" && next.role === "assistant" && first.calls.length === 0)
    return { role: "assistant", text: joinWords(first.text, next.text), calls: next.calls, ...mark };
  return undefined;
}

function bothAttachments(first: UserMessage, next: UserMessage): Pick<UserMessage, "attachments"> {
  const attachments = [...(first.attachments ?? []), ...(next.attachments ?? [])];
  return attachments.length > 0 ? { attachments } : {};
}

function joinWords(...texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

function withWords(results: readonly ToolResult[], text: string): ToolResult[] {
  const last = results.length - 1;
  return results.map((result, index) =>
    index === last ? { ...result, output: `${result.output}\n\n${text}` } : result,
  );
}

type Part = LanguageModelV4StreamPart;

/**
 * Turns escaped text in a provider's stream back: its text, and the arguments of its calls. Its thoughts are for itself alone,
 * and stay escaped.
 */
export function unescapedStream(stream: ReadableStream<Part>): ReadableStream<Part> {
  const open = new Map<string, ReturnType<typeof createUnescaper>>();
  const end = (id: string, controller: TransformStreamDefaultController<Part>) => {
    const delta = open.get(id)?.end() ?? "";
    open.delete(id);
    if (delta !== "") controller.enqueue({ type: "text-delta", id, delta });
  };
  return stream.pipeThrough(
    new TransformStream<Part, Part>({
      transform(part, controller) {
        if (part.type === "text-delta") {
          const words = open.get(part.id) ?? createUnescaper();
          open.set(part.id, words);
          controller.enqueue({ ...part, delta: words.add(part.delta) });
          return;
        }
        if (part.type === "text-end") end(part.id, controller);
        if (part.type === "finish") for (const id of [...open.keys()]) end(id, controller);
        controller.enqueue(unescapedPart(part));
      },
    }),
  );
}

/** Turns back a part that came whole: text, or a call. */
export function unescapedPart<One extends Part | LanguageModelV4Content>(part: One): One {
  if (part.type === "text") return { ...part, text: unescapeTokens(part.text) };
  return part.type === "tool-call" ? { ...part, input: changeJson(part.input, unescapeTokens) } : part;
}
