import {
  canonical,
  type Json,
  listOf,
  opensWithMark,
  partsOf,
  type SpokenText,
  type StrictCheck,
  type StrictFault,
} from "./request.ts";

/** What OpenAI's Responses API, its Chat Completions, and the chat templates of a plain compatible server refuse. */
export type ResponsesBody = { readonly model: string; readonly instructions?: unknown; readonly input: unknown };

export type ChatBody = { readonly model: string; readonly messages: readonly Json[] };

/** The reasoning that the server gave out: by its encrypted content, the item that followed it. */
type ResponsesMemory = { readonly reasoning: ReadonlyMap<string, string> };

function fault(check: StrictCheck, at: string, message: string, code: string | null = null): StrictFault {
  const error = { message, type: "invalid_request_error", param: at, code };
  return { check, at, message, status: 400, body: { error } };
}

function itemsOf({ input }: ResponsesBody): readonly Json[] {
  return typeof input === "string" ? [{ role: "user", content: input }] : listOf(input);
}

/** Returns what the Responses API has against a request; undefined if it answers. */
export function checkResponses(body: ResponsesBody, memory: ResponsesMemory): StrictFault | undefined {
  const items = itemsOf(body);
  for (const [index, item] of items.entries()) {
    const at = `input[${index}]`;
    if (item.type === "function_call" && !hasOutput(items.slice(index + 1), item.call_id))
      return fault("results", at, `No tool output found for function call ${item.call_id}.`);
    if (item.type === "function_call_output" && !hasCall(items.slice(0, index), item.call_id))
      return fault("results", at, `No tool call found for function call output with call_id ${item.call_id}.`);
    if (item.type === "reasoning") {
      const wrong = checkReasoning(item, items[index + 1], memory);
      if (wrong) return fault("reasoning", at, ...wrong);
    }
    const { type = "message", role } = item;
    if (type === "message" && !["system", "developer", "user", "assistant"].includes(String(role)))
      return fault("order", at, `Invalid value: '${role}'.`, "invalid_value");
  }
  return undefined;
}

function hasOutput(later: readonly Json[], id: unknown): boolean {
  return later.filter(({ type, call_id }) => type === "function_call_output" && call_id === id).length === 1;
}

function hasCall(earlier: readonly Json[], id: unknown): boolean {
  return earlier.some(({ type, call_id }) => type === "function_call" && call_id === id);
}

function checkReasoning(
  { id, encrypted_content }: Json,
  next: Json | undefined,
  { reasoning }: ResponsesMemory,
): [message: string, code?: string] | undefined {
  const followed = reasoning.get(String(encrypted_content));
  if (followed === undefined)
    return [
      `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
      "invalid_encrypted_content",
    ];
  return next && itemName(next) === followed
    ? undefined
    : [`Item '${id}' of type 'reasoning' was provided without its required following item.`];
}

/** Returns what an item is recognized by when it comes back: its call, its reasoning, or its words. */
export function itemName(item: Json): string {
  const { type = "message", call_id, encrypted_content, content } = item;
  const text = partsOf(content).map((part) => part.text);
  return canonical([type, call_id ?? encrypted_content ?? text.join("")]);
}

/** Lists the texts of a request in the system's or the developer's role, or after the mark of a session. */
export function systemTextsOfResponses(body: ResponsesBody): readonly SpokenText[] {
  const instructions = body.instructions ? [{ at: "instructions", text: String(body.instructions) }] : [];
  return [...instructions, ...spoken(itemsOf(body), "input")];
}

/** The same, of a chat. */
export function systemTextsOfChat({ messages }: ChatBody): readonly SpokenText[] {
  return spoken(messages, "messages");
}

function spoken(messages: readonly Json[], field: string): SpokenText[] {
  return messages.flatMap(({ role, content }, index) =>
    partsOf(content)
      .map(({ text }) => String(text ?? ""))
      .filter((text) => role === "system" || role === "developer" || opensWithMark(text))
      .map((text) => ({ at: `${field}[${index}]`, text })),
  );
}

/** Returns what Chat Completions has against a request; undefined if it answers. */
export function checkChat({ messages }: ChatBody): StrictFault | undefined {
  for (const [index, { role, tool_calls, content, tool_call_id }] of messages.entries()) {
    const at = `messages.[${index}].role`;
    if (!["system", "developer", "user", "assistant", "tool"].includes(String(role)))
      return fault("order", at, `Invalid value: '${role}'.`, "invalid_value");
    if (role === "tool" && !isAsked(messages, index, tool_call_id))
      return fault(
        "results",
        at,
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      );
    const calls = listOf(tool_calls).map(({ id }) => id);
    const answered = resultsAfter(messages, index);
    const open = calls.filter((id) => !answered.includes(id));
    if (open.length > 0)
      return fault(
        "results",
        at,
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`,
      );
    if (role !== "assistant" && partsOf(content).length === 0)
      return fault(
        "empty-text",
        `messages.[${index}].content`,
        "Invalid value for 'content': expected a string, got null.",
      );
  }
  return undefined;
}

function isAsked(messages: readonly Json[], index: number, id: unknown): boolean {
  const asking = messages.slice(0, index).findLast(({ role }) => role !== "tool");
  return listOf(asking?.tool_calls).some((call) => call.id === id);
}

function resultsAfter(messages: readonly Json[], index: number): unknown[] {
  const later = messages.slice(index + 1);
  const end = later.findIndex(({ role }) => role !== "tool");
  return later.slice(0, end === -1 ? later.length : end).map((message) => message.tool_call_id);
}

/** Returns what a plain compatible server has against a chat: one system message, and only at the start, as its template raises. */
export function checkCompatible(body: ChatBody): StrictFault | undefined {
  const late = body.messages.findIndex(({ role }, index) => role === "developer" || (role === "system" && index > 0));
  if (late === -1) return checkChat(body);
  const message = "System message must be at the beginning.";
  const at = `messages[${late}]`;
  const error = { message, type: "BadRequestError", param: null, code: 400 };
  return { check: "order", at, message, status: 400, body: { error } };
}
