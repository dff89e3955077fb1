import type { Hook, HookContext, MomentName } from "../hook.ts";
import type { AddedMessages } from "./added-message.ts";
import type { CallContexts } from "./call-context.ts";
import { contentOf, toldContent } from "./content.ts";
import type { EventName, Extension, Handler } from "./extension.ts";
import { sentence } from "./fault.ts";
import { piMessages } from "./pi-message.ts";

type HookEvent = Exclude<EventName, "resources_discover">;
type HookInput<Name extends MomentName> = Parameters<NonNullable<Hook[Name]>>[0];

/** An event as pi has it, and what an answer to it means here. A reason in words: the answer cannot be read. */
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

/** A hook for one handler of an extension: the runtime asks it in its turn, gives up on it, and reports it. */
export function eventHook(extension: Extension, event: HookEvent, handler: Handler, hooking: EventHookOptions): Hook {
  const { callContexts: occasions } = hooking;
  const ask = async (given: { readonly turn: string; readonly user?: string }, aside: HookContext) => {
    // A guard stays on duty for the turns that began with it.
    const isDone = () => extension.closed && event !== "tool_call";
    if (isDone()) return undefined;
    const asked = translateEvent(event, given, hooking);
    const before = fieldsOf(asked.event);
    const turn = occasions.turns.get(given.turn);
    if (turn && event === "before_agent_start") turn.prompt = (given as HookInput<"before-turn">).prompt;
    const occasion = { turn: given.turn, user: given.user ?? turn?.user, where: event, notice: aside.notice };
    const { answer, mutated } = await occasions.within(occasion, async () => {
      const answer: unknown = await extension.run(() => handler(asked.event as never, extension.ctx));
      return { answer, mutated: changedFields(before, asked.event, answer) };
    });
    if (isDone()) return undefined;
    if (mutated.length > 0)
      occasions.within(occasion, () => extension.reportFault("mutated", mutatedWords(event, mutated)));
    // In pi whatever is false says nothing.
    if (answer === undefined || answer === null || answer === false) return undefined;
    if (typeof answer !== "object" || Array.isArray(answer)) return answer as object;
    const change = asked.change(answer as Record<string, unknown>);
    if (typeof change !== "string") return change;
    aside.reportFailure(change);
    return undefined;
  };
  return {
    name: extension.name,
    event,
    onFailure: (because) => extension.reportFault("handler-failed", sentence(`failed at ${event}: ${because}`)),
    // As in pi: what a guard could not look at is not done.
    ...(event === "tool_call" ? { answerOnFailure: (because: string) => ({ refuse: `It failed (${because}).` }) } : {}),
    [moments[event]]: ask,
  } as Hook;
}

function translateEvent(event: HookEvent, given: object, hooking: EventHookOptions): TranslatedEvent {
  switch (event) {
    case "input":
      return inputEvent(given as HookInput<"input">);
    case "before_agent_start":
      return startEvent(given as HookInput<"before-turn">, hooking.callContexts);
    case "context":
      return contextEvent(given as HookInput<"before-step">, hooking);
    case "tool_call":
      return callEvent(given as HookInput<"before-tool">);
    case "tool_result":
      return resultEvent(given as HookInput<"after-tool">, hooking.callContexts);
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
      return {
        ...(systemPrompt === undefined ? {} : { prompt: systemPrompt }),
        ...(text === undefined ? {} : { message: text }),
      };
    },
  };
}

function contextEvent(
  { turn, messages: given }: HookInput<"before-step">,
  { callContexts: occasions, added, now }: EventHookOptions,
): TranslatedEvent {
  added.note(occasions.turns.get(turn)?.added ?? [], given);
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
      return {
        ...(read === undefined ? {} : { output: toldContent(read) }),
        ...(answer.isError === undefined ? {} : { failed: answer.isError }),
      };
    },
  };
}

/** What cannot be copied is not handed on. */
function copyOf(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return undefined;
  }
}

/** Each field as JSON has it. What cannot be written so is not compared. */
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

/** Fields that were changed in place and are not in the answer: nothing comes of that. */
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
