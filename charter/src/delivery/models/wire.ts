import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Block, Message, Request, ToolOffer, ToolResult } from "../model.ts";
import type { ProviderDialect, Spot } from "./dialect.ts";
import { type AnswerPart, answerParts, soundName } from "./native.ts";

/** A request in the form the AI SDK's providers take: every text as it is, every breakpoint where the request has it. */
export function callOptions(request: Request, model: string, dialect: ProviderDialect): LanguageModelV4CallOptions {
  const { system, messages, tools } = request;
  return {
    prompt: [
      ...systemMessages(system, dialect),
      ...messages.flatMap((message) => wireMessage(message, model, dialect)),
    ],
    ...(tools.length > 0 ? { tools: tools.map(functionTool) } : {}),
    providerOptions: dialect.options(request),
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
  const { role, text } = message;
  const mark = marked(breakpoint, dialect, role, text);
  return role === "system"
    ? [{ role, content: text, ...mark }]
    : [{ role, content: [{ type: "text", text, ...mark }] }];
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
