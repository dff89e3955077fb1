import type { Message, ToolCall, ToolResult } from "../../delivery/model.ts";
import { defined } from "../../prompt/argument.ts";
import type { Hook, HookContext, MomentName } from "../hook.ts";
import {
  type AddedMessages,
  type CallContexts,
  contentOf,
  type EventName,
  type Extension,
  type Handler,
  sentence,
  toldContent,
} from "./extension.ts";

type HookEvent = Exclude<EventName, "resources_discover">;
type HookInput<Name extends MomentName> = Parameters<NonNullable<Hook[Name]>>[0];

/** An event in pi's form, and the change that an answer to it means here. A text says why the answer cannot be read. */
type TranslatedEvent = {
  readonly event: object;
  readonly change: (answer: Record<string, unknown>) => object | string | undefined;
};

type EventHookOptions = {
  readonly callContexts: CallContexts;
  readonly added: AddedMessages;
  readonly now: () => number;
};

const moments: Readonly<Record<HookEvent, MomentName>> = {
  input: "input",
  before_agent_start: "before-turn",
  context: "before-step",
  tool_call: "before-tool",
  tool_result: "after-tool",
};

/** Makes a hook of one handler of an extension: the runtime calls it in its turn, stops waiting for it, and reports it. */
export function eventHook(extension: Extension, event: HookEvent, handler: Handler, options: EventHookOptions): Hook {
  const { callContexts } = options;
  const ask = async (given: { readonly turn: string; readonly user: string | null }, context: HookContext) => {
    // A guard of a closed extension still works for the turns that began with it.
    const isDone = () => extension.closed && event !== "tool_call";
    if (isDone()) return undefined;
    const asked = translateEvent(event, given, options);
    const before = fieldsOf(asked.event);
    const turn = callContexts.turns.get(given.turn);
    if (turn && event === "before_agent_start") turn.prompt = (given as HookInput<"before-turn">).prompt;
    const callContext = { turn: given.turn, user: given.user, where: event, notice: context.notice };
    const { answer, mutated } = await callContexts.within(callContext, async () => {
      const answer: unknown = await extension.run(() => handler(asked.event as never, extension.ctx));
      return { answer, mutated: changedFields(before, asked.event, answer) };
    });
    if (isDone()) return undefined;
    if (mutated.length > 0)
      callContexts.within(callContext, () => extension.reportFault("mutated", mutatedWords(event, mutated)));
    // Any false answer says nothing, as in pi.
    if (answer === undefined || answer === null || answer === false) return undefined;
    if (typeof answer !== "object" || Array.isArray(answer)) return answer as object;
    const change = asked.change(answer as Record<string, unknown>);
    if (typeof change !== "string") return change;
    context.reportFailure(change);
    return undefined;
  };
  return {
    name: extension.name,
    event,
    onFailure: (because) => extension.reportFault("handler-failed", sentence(`failed at ${event}: ${because}`)),
    // A call that a guard could not check is refused, as in pi.
    ...(event === "tool_call" ? { answerOnFailure: (because: string) => ({ refuse: `It failed (${because}).` }) } : {}),
    [moments[event]]: ask,
  } as Hook;
}

function translateEvent(event: HookEvent, given: object, options: EventHookOptions): TranslatedEvent {
  switch (event) {
    case "input":
      return inputEvent(given as HookInput<"input">);
    case "before_agent_start":
      return startEvent(given as HookInput<"before-turn">, options.callContexts);
    case "context":
      return contextEvent(given as HookInput<"before-step">, options);
    case "tool_call":
      return callEvent(given as HookInput<"before-tool">);
    case "tool_result":
      return resultEvent(given as HookInput<"after-tool">, options.callContexts);
  }
}

function inputEvent({ input }: HookInput<"input">): TranslatedEvent {
  return {
    event: { type: "input", text: input, source: "interactive" },
    change: ({ action, text }) => {
      if (action === "continue") return undefined;
      if (action === "handled") return { handled: true };
      if (action === "transform") return typeof text === "string" ? { input: text } : "its text is no text";
      return "its action is neither continue nor transform nor handled";
    },
  };
}

function startEvent({ turn, input, prompt }: HookInput<"before-turn">, { turns }: CallContexts): TranslatedEvent {
  return {
    event: { type: "before_agent_start", prompt: input, systemPrompt: prompt },
    change: ({ systemPrompt, message }) => {
      if (systemPrompt !== undefined && typeof systemPrompt !== "string") return "its systemPrompt is no text";
      const { content: written, customType } = Object(message) as { content?: unknown; customType?: unknown };
      const content = message === undefined ? undefined : contentOf(written);
      if (message !== undefined && content === undefined) return "its message has no content";
      const text = content && toldContent(content);
      if (text?.trim()) turns.get(turn)?.added.push({ customType: String(customType), text });
      return defined({ prompt: systemPrompt, message: text });
    },
  };
}

function contextEvent(
  { turn, messages: given }: HookInput<"before-step">,
  { callContexts, added, now }: EventHookOptions,
): TranslatedEvent {
  added.note(callContexts.turns.get(turn)?.added ?? [], given);
  const { messages, back } = piMessages(given, now(), added.piecesOf);
  return {
    event: { type: "context", messages: [...messages] },
    change: ({ messages: returned }) => {
      if (returned === undefined) return undefined;
      try {
        const after = back(returned);
        const same = after.length === given.length && after.every((one, index) => one === given[index]);
        return same ? undefined : { messages: after };
      } catch (error) {
        return error instanceof Error ? error.message : "its messages cannot be read";
      }
    },
  };
}

function callEvent({ tool, call, input }: HookInput<"before-tool">): TranslatedEvent {
  return {
    event: { type: "tool_call", toolName: tool, toolCallId: call, input },
    change: ({ block, reason }) => {
      if (!block) return undefined;
      return { refuse: typeof reason === "string" && reason.trim() !== "" ? reason : "It gave no reason." };
    },
  };
}

function resultEvent(given: HookInput<"after-tool">, { turns }: CallContexts): TranslatedEvent {
  const { turn, tool: toolName, call: toolCallId, input, output, failed: isError } = given;
  const content = [{ type: "text", text: output }];
  const details = copyOf(turns.get(turn)?.details.get(toolCallId));
  return {
    event: { type: "tool_result", toolName, toolCallId, input, content, details, isError },
    change: (answer) => {
      const read = answer.content === undefined ? undefined : contentOf(answer.content);
      if (answer.content !== undefined && read === undefined) return "its content is no content";
      if (answer.isError !== undefined && typeof answer.isError !== "boolean")
        return "its isError is neither true nor false";
      if (answer.details !== undefined) turns.get(turn)?.details.set(toolCallId, answer.details);
      return defined({ output: read && toldContent(read), failed: answer.isError });
    },
  };
}

/** Copies a value; one that cannot be copied is not handed on. */
function copyOf(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return undefined;
  }
}

/** Writes each field as JSON. A field that cannot be written so is not compared. */
function fieldsOf(event: object): ReadonlyMap<string, string> {
  return new Map(Object.entries(event).map(([name, value]) => [name, jsonOf(value)]));
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "unwritable";
  }
}

/** Lists fields that a handler changed in place but did not return: such a change has no effect. */
function changedFields(before: ReadonlyMap<string, string>, event: object, answer: unknown): string[] {
  const after = fieldsOf(event);
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const answered = (name: string) => typeof answer === "object" && answer !== null && name in answer;
  return names.filter((name) => before.get(name) !== after.get(name) && !answered(name));
}

function mutatedWords(event: string, fields: readonly string[]): string {
  const names = fields.map((name) => `“${name}”`).join(", ");
  return `changed ${names} of what it was given at ${event}; nothing came of it: return a result instead.`;
}

/** A message as extensions written for pi know it. */
export type PiMessage = { readonly role: string; readonly [field: string]: unknown };

/** The kind of message that holds updates of the prompt: these have to come back unchanged. */
const promptType = "charter-prompt";

type PiMessages = {
  readonly messages: readonly PiMessage[];
  /** Turns the returned messages into ours: one that was not changed is the very same object. Throws where one cannot be read. */
  readonly back: (returned: unknown) => readonly Message[];
};

/**
 * The message of ours that a pi message comes from. It may become several, for the results of several calls or for added
 * messages.
 */
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
      const same = byWords.get(words) ?? [];
      same.push(one);
      byWords.set(words, same);
    }
  }
  return {
    messages,
    back: (returned) => {
      if (!Array.isArray(returned)) throw new Error("its messages are no list");
      const originals = originsIn(returned, byWords);
      return joinResults(
        returned.map((one: unknown, index) => ({
          origin: origins.get(originals[index] as PiMessage),
          made: () => asOurs(one, calls),
        })),
      );
    },
  };
}

/** Finds which of the given messages each returned one is: the same object, unchanged, or an exact copy. Each is found once. */
function originsIn(returned: readonly unknown[], byWords: ReadonlyMap<string, readonly PiMessage[]>) {
  const left = new Map([...byWords].map(([words, messages]) => [words, new Set(messages)]));
  const wordsOf = returned.map((one) => (isObject(one) ? JSON.stringify(one) : ""));
  const originals: (PiMessage | undefined)[] = returned.map((one, index) =>
    left.get(wordsOf[index] as string)?.delete(one as PiMessage) ? (one as PiMessage) : undefined,
  );
  for (const [index, words] of wordsOf.entries()) {
    if (originals[index]) continue;
    const [copied] = left.get(words) ?? [];
    if (copied) left.get(words)?.delete(copied);
    originals[index] = copied;
  }
  return originals;
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

/** Joins the results of one answer's calls into one message of ours, where they are found again. */
function joinResults(returned: readonly Made[]): Message[] {
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

/** Reads an answer's text and calls. A call whose arguments did not change keeps the exact JSON the model wrote. */
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
