import { badMessage } from "./message-problem.ts";

/** A system prompt that a client brought along: its words, and the field they stood in. */
export type ClientPrompt = { readonly words: string; readonly field: string };

/** What of a request to open or load a session may hold one. Everything in it is as the client wrote it. */
export type SystemPromptParams = { readonly systemPrompt?: unknown; readonly _meta?: unknown };

const buzzKey = "buzz.systemPrompt";

/**
 * The system prompt of a request, in the first of three forms that is there: `systemPrompt` with the mode “append”, the
 * text `_meta.systemPrompt.append`, the text `_meta["buzz.systemPrompt"]`. Blank words are none. Whatever else `_meta`
 * holds is somebody else's business.
 */
export function clientPromptOf({ systemPrompt, _meta }: SystemPromptParams): ClientPrompt | undefined {
  const found =
    given("systemPrompt", appendedText(systemPrompt)) ??
    given("_meta.systemPrompt.append", textAt(fieldOf(_meta, "systemPrompt"), "append")) ??
    given(`_meta["${buzzKey}"]`, textAt(_meta, buzzKey));
  return found;
}

function given(field: string, words: string | undefined): ClientPrompt | undefined {
  return words === undefined || words.trim() === "" ? undefined : { words, field };
}

/** A bare text was never part of the protocol: it is not read. */
function appendedText(systemPrompt: unknown): string | undefined {
  if (typeof systemPrompt !== "object" || systemPrompt === null) return undefined;
  const { mode, content } = systemPrompt as { mode?: unknown; content?: unknown };
  if (mode !== "append")
    throw badMessage(
      `The systemPrompt has the mode ${shown(mode)}, and only “append” is offered.`,
      "Send { mode: “append”, content }: the agent's own words stay.",
    );
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks.map(blockText).join("\n\n");
}

function blockText(block: unknown): string {
  const text = fieldOf(block, "type") === "text" ? textAt(block, "text") : undefined;
  if (text !== undefined) return text;
  throw badMessage(
    `A block of the systemPrompt is of the type ${shown(fieldOf(block, "type"))}, and only text is read.`,
    "Send content: [{ type: “text”, text }].",
  );
}

function textAt(value: unknown, name: string): string | undefined {
  const text = fieldOf(value, name);
  return typeof text === "string" ? text : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function shown(value: unknown): string {
  return typeof value === "string" ? `“${value.slice(0, 40)}”` : value === undefined ? "nothing" : typeof value;
}

const opens = new Set(["session/new", "session/load", "session/resume", "session/fork"]);

/** A message without a bare text as its systemPrompt, which the protocol's own reader would refuse the whole request for. */
export function withoutBareSystemPrompt<Message>(message: Message): Message {
  const { method, params } = Object(message) as { method?: unknown; params?: unknown };
  if (typeof method !== "string" || !opens.has(method)) return message;
  if (typeof fieldOf(params, "systemPrompt") !== "string") return message;
  const { systemPrompt: _, ...others } = params as Record<string, unknown>;
  return { ...message, params: others };
}
