import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Block, Message, ModelRequest, ToolOffer, ToolResult } from "../model.ts";
import type { Receiver } from "../receiver.ts";
import { responseFormat } from "./answer-format.ts";
import type { ProviderDialect, Spot } from "./dialect.ts";
import { mergeMessages } from "./merge-messages.ts";
import { type AnswerPart, answerParts, soundName } from "./native.ts";

type AskedReceiver = Pick<Receiver, "name" | "output" | "reasoning" | "roles">;

/** A request in the form the AI SDK's providers take: every text as it is, every breakpoint where the request has it. */
export function callOptions(
  request: ModelRequest,
  { name: model, output, reasoning, roles }: AskedReceiver,
  dialect: ProviderDialect,
): LanguageModelV4CallOptions {
  const { system, messages, tools, answerTokens = output } = request;
  const sent = roles === "alternate" ? mergeMessages(messages) : messages;
  return {
    prompt: [...systemMessages(system, dialect), ...sent.flatMap((message) => wireMessage(message, model, dialect))],
    ...(answerTokens === undefined ? {} : { maxOutputTokens: answerTokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(tools.length > 0 ? { tools: tools.map(functionTool) } : {}),
    ...(request.toolChoice ? { toolChoice: { type: request.toolChoice } } : {}),
    ...(request.output ? responseFormat(request.output) : {}),
    providerOptions: request.output
      ? merged(dialect.options(request), dialect.format(request.output))
      : dialect.options(request),
  };
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

/** One text for each run of blocks that ends in a breakpoint the receiver can be told of, and one for what follows. */
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
    const content = markLast(dialect.calls === "written" ? parts : parts.map(parsedCall), breakpoint, dialect);
    return content.length > 0 ? [{ role: "assistant", content }] : [];
  }
  const { role, text, attachments = [] } = message;
  const files = attachments.flatMap((one) => filePart(one, dialect));
  // Where a mark stands in the place of a message's content, there is none for pictures.
  const mark = files.length > 0 && dialect.replaces ? {} : marked(breakpoint, dialect, role, text);
  if (role === "system") return [{ role, content: text, ...mark }];
  if (files.length > 0 && text === "") return [{ role, content: withMark(files, mark) }];
  return [{ role, content: [...files, { type: "text", text, ...mark }] }];
}

type FilePart = Extract<Extract<LanguageModelV4Message, { role: "user" }>["content"][number], { type: "file" }>;

/** A picture or a document with its bytes; one without was told in words. */
function filePart(
  { data, mediaType, name }: NonNullable<UserMessage["attachments"]>[number],
  { files }: ProviderDialect,
): FilePart[] {
  if (data === undefined) return [];
  const given = (files === "wrapped" ? { type: "data", data } : data) as FilePart["data"];
  return [{ type: "file", data: given, mediaType, ...(name === undefined ? {} : { filename: name }) }];
}

type UserMessage = Extract<Message, { role: "system" | "user" }>;

function withMark(files: readonly FilePart[], mark: { providerOptions?: SharedV4ProviderOptions }): FilePart[] {
  return files.map((file, index) => (index === files.length - 1 ? { ...file, ...mark } : file));
}

function parsedCall(part: AnswerPart): AnswerPart {
  return part.type === "tool-call" ? { ...part, input: JSON.parse(String(part.input)) } : part;
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

/** The last part that can carry a breakpoint carries it: reasoning cannot, and some protocols have no place at all. */
function markLast(parts: readonly AnswerPart[], breakpoint: true | undefined, dialect: ProviderDialect): AnswerPart[] {
  const mark = (part: AnswerPart) =>
    part.type === "text"
      ? dialect.breakpoint("assistant-text", part.text)
      : part.type === "tool-call"
        ? dialect.breakpoint("assistant-call", "")
        : undefined;
  const at = breakpoint ? parts.findLastIndex((part) => mark(part) !== undefined) : -1;
  return parts.map((part, index) =>
    index === at ? { ...part, providerOptions: merged(part.providerOptions, mark(part)) } : part,
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

function merged(own: SharedV4ProviderOptions = {}, more: SharedV4ProviderOptions = {}): SharedV4ProviderOptions {
  const names = new Set([...Object.keys(own), ...Object.keys(more)]);
  return Object.fromEntries([...names].map((name) => [name, { ...own[name], ...more[name] }]));
}
