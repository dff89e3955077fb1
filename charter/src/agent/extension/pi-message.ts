import type { Message, ToolCall, ToolResult } from "../../delivery/model.ts";
import type { AddedMessages } from "./added-message.ts";
import { contentOf, toldContent } from "./content.ts";

/** A message as extensions written for pi know it. */
export type PiMessage = { readonly role: string; readonly [field: string]: unknown };

/** Updates of the prompt among the messages: they have to come back as they were. */
const promptType = "charter-prompt";

type PiMessages = {
  readonly messages: readonly PiMessage[];
  /** What came back, as ours: a message nobody touched is the very same. Throws what cannot be read. */
  readonly back: (returned: unknown) => readonly Message[];
};

/** Of one of our messages: several, where it holds the results of several calls, or what was added to it. */
type Origin = { readonly message: Message; readonly index: number; readonly count: number };

export function piMessages(
  given: readonly Message[],
  timestamp: number,
  piecesOf: AddedMessages["piecesOf"] = () => undefined,
): PiMessages {
  const messages: PiMessage[] = [];
  const origins = new Map<PiMessage, Origin>();
  const byWords = new Map<string, PiMessage[]>();
  const calls = new Map<string, ToolCall>();
  for (const message of given) {
    if (message.role === "assistant") for (const call of message.calls) calls.set(call.id, call);
    const made = asPi(message, piecesOf).map((one) => ({ ...one, timestamp }));
    for (const [index, one] of made.entries()) {
      messages.push(one);
      origins.set(one, { message, index, count: made.length });
      const words = JSON.stringify(one);
      byWords.set(words, [...(byWords.get(words) ?? []), one]);
    }
  }
  return {
    messages,
    back: (returned) => {
      if (!Array.isArray(returned)) throw new Error("its messages are no list");
      const found = originsIn(returned, byWords);
      return joined(
        returned.map((one: unknown, index) => ({
          origin: origins.get(found[index] as PiMessage),
          made: () => asOurs(one, calls),
        })),
      );
    },
  };
}

/** Which of the given messages each of these is: itself, as it was, or a copy of it to the letter. Each is found once. */
function originsIn(returned: readonly unknown[], byWords: ReadonlyMap<string, readonly PiMessage[]>) {
  const left = new Map([...byWords].map(([words, ones]) => [words, new Set(ones)]));
  const wordsOf = returned.map((one) => (isObject(one) ? JSON.stringify(one) : ""));
  const found: (PiMessage | undefined)[] = returned.map((one, index) =>
    left.get(wordsOf[index] as string)?.delete(one as PiMessage) ? (one as PiMessage) : undefined,
  );
  for (const [index, words] of wordsOf.entries()) {
    if (found[index]) continue;
    const [copied] = left.get(words) ?? [];
    if (copied) left.get(words)?.delete(copied);
    found[index] = copied;
  }
  return found;
}

function isObject(value: unknown): value is PiMessage {
  return typeof value === "object" && value !== null;
}

function asPi(message: Message, piecesOf: AddedMessages["piecesOf"]): PiMessage[] {
  if (message.role === "assistant") {
    const called = message.calls.map(({ id, name, input }) => ({
      type: "toolCall",
      id,
      name,
      arguments: argumentsOf(input),
    }));
    const content = [...(message.text === "" ? [] : [textPart(message.text)]), ...called];
    return [{ role: "assistant", content, stopReason: called.length > 0 ? "toolUse" : "stop" }];
  }
  if (message.role === "tool")
    return message.results.map(({ call, name, output, failed }) => ({
      role: "toolResult",
      toolCallId: call,
      toolName: name,
      content: [textPart(output)],
      isError: failed === true,
    }));
  if (message.role === "system" || message.update !== undefined)
    return [{ role: "custom", customType: promptType, content: message.text, display: false }];
  const { own, added } = piecesOf(message.text) ?? { own: message.text, added: [] };
  const spoken = { role: "user", content: [textPart(own)] };
  return [
    spoken,
    ...added.map(({ customType, text }) => ({ role: "custom", customType, content: text, display: false })),
  ];
}

function textPart(text: string) {
  return { type: "text", text };
}

function argumentsOf(input: string): unknown {
  try {
    return input.trim() === "" ? {} : JSON.parse(input);
  } catch {
    return {};
  }
}

type Made = { readonly origin: Origin | undefined; readonly made: () => Message };

/** Results of one answer's calls stand in one message of ours, and are found there again. */
function joined(returned: readonly Made[]): Message[] {
  const messages: Message[] = [];
  let results: ToolResult[] = [];
  const close = () => {
    if (results.length > 0) messages.push({ role: "tool", results });
    results = [];
  };
  for (let at = 0; at < returned.length; at++) {
    const { origin, made } = returned[at] as Made;
    const whole = origin !== undefined && origin.index === 0 && isWhole(returned, at, origin);
    const message = origin !== undefined && (whole || origin.count === 1) ? origin.message : made();
    if (whole) at += origin.count - 1;
    if (message.role === "tool" && message !== origin?.message) results.push(...message.results);
    else {
      close();
      messages.push(message);
    }
  }
  close();
  return messages;
}

function isWhole(returned: readonly Made[], at: number, { message, count }: Origin): boolean {
  const run = returned.slice(at, at + count);
  return (
    run.length === count && run.every(({ origin }, index) => origin?.message === message && origin.index === index)
  );
}

function asOurs(one: unknown, calls: ReadonlyMap<string, ToolCall>): Message {
  const { role, content, customType, toolCallId, toolName, isError } = (isObject(one) ? one : {}) as Record<
    string,
    unknown
  >;
  if (role === "assistant") return { role, ...spokenAndCalled(content, calls) };
  if (role === "custom" && customType === promptType)
    throw new Error("it changed text of the prompt among the messages");
  const read = contentOf(content);
  if (read !== undefined && (role === "user" || role === "custom")) return { role: "user", text: toldContent(read) };
  if (read !== undefined && role === "toolResult" && typeof toolCallId === "string" && typeof toolName === "string") {
    const failed = isError === true ? { failed: true as const } : {};
    return { role: "tool", results: [{ call: toolCallId, name: toolName, output: toldContent(read), ...failed }] };
  }
  throw new Error(`among its messages is one that cannot be read${typeof role === "string" ? ` (“${role}”)` : ""}`);
}

/** Calls whose arguments are as they were stay to the letter as the model wrote them. */
function spokenAndCalled(content: unknown, known: ReadonlyMap<string, ToolCall>) {
  const parts: readonly unknown[] =
    typeof content === "string" ? [textPart(content)] : Array.isArray(content) ? content : [];
  const texts: string[] = [];
  const calls: ToolCall[] = [];
  for (const part of parts) {
    const { type, text, id, name, arguments: given } = Object(part) as Record<string, unknown>;
    if (type === "text" && typeof text === "string") texts.push(text.toWellFormed());
    if (type !== "toolCall" || typeof id !== "string" || typeof name !== "string") continue;
    const before = known.get(id);
    const same = before?.name === name && JSON.stringify(argumentsOf(before.input)) === JSON.stringify(given);
    calls.push(same ? before : { id, name, input: JSON.stringify(given ?? {}) });
  }
  return { text: texts.join("\n"), calls };
}
