import type { Message, ModelRequest, ToolCall, ToolOffer, ToolResult } from "../../model.ts";
import { type AnswerPart, isNative } from "../native.ts";
import { changeJson, escapeAnswer, escapeThoughts, escapeTogether, escapeTokens } from "./wire-token.ts";

/**
 * A request for a server that does not tell control tokens in words from its own: every text of it is escaped, whoever wrote
 * it. What has none in it is the very same value.
 */
export function escapedRequest(request: ModelRequest): ModelRequest {
  const { tools, system, messages, output } = request;
  const blocks = escapeTogether(system.map(({ text }) => text));
  return withChanged(request, {
    tools: mapped(tools, escapedTool),
    system: mapped(system, (block, index) => withChanged(block, { text: blocks[index] as string })),
    messages: mapped(messages, escapedMessage),
    ...(output ? { output: withChanged(output, { schema: escapedValue(output.schema) }) } : {}),
  });
}

function escapedTool(tool: ToolOffer): ToolOffer {
  return withChanged(tool, { description: escapeTokens(tool.description), input: escapedValue(tool.input) });
}

function escapedMessage<Sent extends Message>(message: Sent): Sent {
  if (message.role === "tool")
    return withChanged<Extract<Message, { role: "tool" }>>(message, {
      results: mapped(message.results, escapedResult),
    }) as Sent;
  if (message.role === "assistant") return escapedAnswer(message) as Sent;
  const { attachments } = message;
  return withChanged<UserMessage>(message, {
    text: escapeTokens(message.text),
    ...(attachments ? { attachments: mapped(attachments, escapedAttachment) } : {}),
  }) as Sent;
}

type UserMessage = Extract<Message, { role: "system" | "user" }>;
type SentAttachment = NonNullable<UserMessage["attachments"]>[number];

function escapedAttachment(attachment: SentAttachment): SentAttachment {
  const { name } = attachment;
  return name === undefined ? attachment : withChanged(attachment, { name: escapeTokens(name) });
}

function escapedResult(result: ToolResult): ToolResult {
  return withChanged(result, { output: escapeTokens(result.output) });
}

type AnswerMessage = Extract<Message, { role: "assistant" }>;

/** What is native to an answer is escaped as its words are, so that it still says what they say. */
function escapedAnswer(message: AnswerMessage): AnswerMessage {
  const { text, calls, native } = message;
  const escaped = withChanged(message, { text: escapeAnswer([text])[0] as string, calls: mapped(calls, escapedCall) });
  if (!isNative(native)) return escaped;
  if (native.form === undefined) {
    const content = escapedParts(native.content as readonly AnswerPart[]);
    return withChanged(escaped, { native: withChanged(native, { content }) });
  }
  // What goes back to the byte goes back without a token, or not at all.
  const json = JSON.stringify(native.content);
  if (changeJson(json, escapeThoughts) === json) return escaped;
  const { native: _, ...plain } = escaped;
  return plain;
}

function escapedCall(call: ToolCall): ToolCall {
  return withChanged(call, { input: changeJson(call.input, escapeTokens) });
}

function escapedParts(content: readonly AnswerPart[]): readonly AnswerPart[] {
  const texts = escapeAnswer(content.map((part) => (part.type === "text" ? part.text : "")));
  return mapped(content, (part, index): AnswerPart => {
    if (part.type === "text") return withChanged(part, { text: texts[index] as string });
    // What is signed goes back to the byte: whoever can tell looks at it.
    if (part.type === "reasoning")
      return part.providerOptions ? part : withChanged(part, { text: escapeThoughts(part.text) });
    if (part.type === "tool-call") return withChanged(part, { input: changeJson(String(part.input), escapeTokens) });
    return part;
  });
}

/** A schema, its names too: what is asked for in escaped words is answered in them. */
function escapedValue<Value>(value: Value): Value {
  const json = JSON.stringify(value);
  const escaped = changeJson(json, escapeTokens);
  return escaped === json ? value : (JSON.parse(escaped) as Value);
}

/** A value with other fields, or the very same where they are no others. */
function withChanged<Value extends object>(value: Value, fields: Partial<Value>): Value {
  const names = Object.keys(fields) as (keyof Value)[];
  return names.every((name) => value[name] === fields[name]) ? value : { ...value, ...fields };
}

function mapped<Value>(list: readonly Value[], change: (value: Value, index: number) => Value): readonly Value[] {
  const changed = list.map(change);
  return changed.every((value, index) => value === list[index]) ? list : changed;
}
