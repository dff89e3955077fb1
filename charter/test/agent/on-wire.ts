import { withChange } from "../../src/delivery/stand-in-view.ts";
import type { Kind } from "../../src/testing/strict/speech.ts";

/** One thing a request says, in the order in which the receiver reads it. A breakpoint stands after it. */
export type Spoken = (
  | { readonly role: "system" | "user" | "assistant"; readonly text: string }
  | { readonly role: "call"; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly role: "result"; readonly id: string; readonly output: string }
) & { readonly breakpoint?: true };

/** A request as its bytes say it. Reasoning that goes back to the model that made it is not among what is spoken. */
export type OnWire = {
  readonly spoken: readonly Spoken[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly input: unknown }[];
  /** Whatever else the body holds. */
  readonly rest: Readonly<Record<string, unknown>>;
};

type Json = Record<string, unknown>;
type Texts = string | readonly Json[] | null | undefined;

export function readBody(kind: Kind, body: string): OnWire {
  const { system, systemInstruction, messages, input, contents, tools, ...rest } = JSON.parse(body);
  const spoken: Record<Kind, () => Spoken[]> = {
    anthropic: () => [...texts("system", system), ...(messages as Json[]).flatMap(anthropicMessage)],
    openai: () => (input as Json[]).flatMap(responsesItem),
    "openai-chat": () => (messages as Json[]).flatMap(chatMessage),
    "openai-compatible": () => (messages as Json[]).flatMap(chatMessage),
    google: () => [...texts("system", systemInstruction?.parts), ...(contents as Json[]).flatMap(googleContent)],
  };
  return { spoken: spoken[kind](), tools: toolsIn(tools ?? []), rest };
}

/** All that speaks for the system before the conversation begins. */
export function systemIn(kind: Kind, body: string): string {
  const { spoken } = readBody(kind, body);
  return spoken
    .slice(0, prefixEnd(spoken))
    .map((one) => ("text" in one ? one.text : ""))
    .join("");
}

/** The same without the last paragraph, where that tells of the mark which updates carry in the user's role. */
export function prefixIn(kind: Kind, body: string): string {
  return systemIn(kind, body).replace(/(?:\n+---)?\n+[^\n]*\[system [0-9a-f]+\][^\n]*$/, "");
}

/** What a request says of sections whose words have changed since its session began, oldest first. */
export function updatesIn(kind: Kind, body: string): { readonly section: string; readonly words: string }[] {
  const update = /^(?:\[system [0-9a-f]+\] )?Your prompt has changed(?:: “(.+?)” now reads:\n\n| in “(.+?)”:\n)/;
  return readBody(kind, body).spoken.flatMap((one) => {
    const found = "text" in one ? update.exec(one.text) : null;
    return found && "text" in one
      ? [{ section: String(found[1] ?? found[2]), words: one.text.slice(found[0].length) }]
      : [];
  });
}

/** A section's words as whoever reads the request has them: as they first stood, with every change that was told since. */
export function wordsNow(kind: Kind, body: string, section: string, first: string): string {
  const told = updatesIn(kind, body).filter((one) => one.section === section);
  return told.reduce((now, { words }) => {
    const standing = [{ name: null, lines: now.split("\n") }];
    const changed = withChange(`Your prompt has changed in “${section}”:\n${words}`, standing);
    return changed ? changed.flatMap(({ lines }) => lines).join("\n") : words;
  }, first);
}

/**
 * A section of the history as whoever reads the request has it: as it was told last, with every change that was told since. Other
 * people's text without the tag that says so. Nothing where it was never told.
 */
export function stateIn(kind: Kind, body: string, heading: string): string {
  const { spoken } = readBody(kind, body);
  const history = spoken.slice(prefixEnd(spoken));
  return stateAmong(
    history.flatMap((one) => ("text" in one ? [one.text] : [])),
    heading,
  );
}

/** The same among the texts of a history. */
export function stateAmong(texts: readonly string[], heading: string): string {
  const whole = new RegExp(
    `^(?:\\[system \\w+\\] |<untrusted_text>\n)?(#+ ${heading}\n[^]*?)(?:\n</untrusted_text>)?$`,
  );
  return texts.reduce((now, text) => {
    const all = whole.exec(text)?.[1];
    if (all !== undefined) return all;
    const changed = withChange(text.replace(/^\[system \w+\] /, ""), [{ name: null, lines: now.split("\n") }]);
    return changed && text.includes(`in “${heading}”:`) ? changed.flatMap(({ lines }) => lines).join("\n") : now;
  }, "");
}

function prefixEnd(spoken: readonly Spoken[]): number {
  const first = spoken.findIndex(({ role }) => role !== "system");
  return first === -1 ? spoken.length : first;
}

/** What stands last in a request, if it is a text. */
export function tailIn(kind: Kind, body: string): string {
  const last = readBody(kind, body).spoken.at(-1);
  return last && "text" in last ? last.text : "";
}

function anthropicMessage({ role, content }: Json): Spoken[] {
  return (content as Json[]).flatMap((block): Spoken[] => {
    const mark = marked(block);
    if (block.type === "text") return [{ role: role as "user" | "assistant", text: String(block.text), ...mark }];
    if (block.type === "tool_use")
      return [{ role: "call", id: String(block.id), name: String(block.name), input: block.input, ...mark }];
    if (block.type === "tool_result")
      return [{ role: "result", id: String(block.tool_use_id), output: joined(block.content as Texts), ...mark }];
    return [];
  });
}

function responsesItem(item: Json): Spoken[] {
  const { type, role } = item;
  if (type === "function_call") return [call(item.call_id, item.name, item.arguments)];
  if (type === "function_call_output") return [result(item.call_id, item.output as Texts)];
  return type === "reasoning" ? [] : texts(roleOf(role), item.content as Texts);
}

function chatMessage({ role, content, tool_calls = [], tool_call_id }: Json): Spoken[] {
  if (role === "tool") return [result(tool_call_id, content as Texts)];
  const calls = (tool_calls as { id: string; function: Json }[]).map(({ id, function: asked }) =>
    call(id, asked.name, asked.arguments),
  );
  return [...texts(roleOf(role), content as Texts), ...calls];
}

function googleContent({ role, parts }: Json): Spoken[] {
  return (parts as Json[]).flatMap((part): Spoken[] => {
    const { functionCall, functionResponse, thought } = part as Record<string, Json | undefined>;
    if (functionCall)
      return [{ role: "call", id: String(functionCall.id), name: String(functionCall.name), input: functionCall.args }];
    if (functionResponse)
      return [{ role: "result", id: String(functionResponse.id), output: said(functionResponse.response as Json) }];
    return thought ? [] : texts(role === "model" ? "assistant" : "user", [part]);
  });
}

function said({ content, error }: Json): string {
  return String(content ?? error);
}

function call(id: unknown, name: unknown, input: unknown): Spoken {
  return { role: "call", id: String(id), name: String(name), input: JSON.parse(String(input)) };
}

function result(id: unknown, output: Texts): Spoken {
  const mark = Array.isArray(output) ? marked(output.at(-1) ?? {}) : {};
  return { role: "result", id: String(id), output: joined(output), ...mark };
}

function roleOf(role: unknown): "system" | "user" | "assistant" {
  return role === "developer" ? "system" : (role as "system" | "user" | "assistant");
}

function texts(role: "system" | "user" | "assistant", content: Texts): Spoken[] {
  if (content === null || content === undefined || content === "") return [];
  if (typeof content === "string") return [{ role, text: content }];
  return content.map((block) => ({ role, text: String(block.text), ...marked(block) }));
}

function joined(content: Texts): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text }) => text).join("");
}

function marked(block: Json): { readonly breakpoint?: true } {
  return block.cache_control !== undefined || block.prompt_cache_breakpoint !== undefined ? { breakpoint: true } : {};
}

/** How often a request asks for a breakpoint, wherever in its bytes. */
export function breakpointsIn(body: string): number {
  return body.split(/"cache_control":|"prompt_cache_breakpoint":/).length - 1;
}

function toolsIn(tools: readonly Json[]): OnWire["tools"] {
  return tools.flatMap((tool) => {
    const declared = (tool.functionDeclarations as Json[] | undefined) ?? [(tool.function as Json | undefined) ?? tool];
    return declared.map(({ name, description, input_schema, parameters, parametersJsonSchema }) => ({
      name: String(name),
      description: String(description),
      input: input_schema ?? parameters ?? parametersJsonSchema,
    }));
  });
}

/** What a provider would reject in a request's order, in words. */
export function disorderIn(kind: Kind, body: string): string[] {
  const { spoken } = readBody(kind, body);
  const faults: string[] = [];
  let open = new Set<string>();
  for (const one of spoken) {
    if (one.role === "call") {
      if (open.has(one.id)) faults.push(`the call ${one.id} is made twice at once`);
      open.add(one.id);
    } else if (one.role === "result") {
      if (!open.delete(one.id)) faults.push(`the result of ${one.id} follows no call of it`);
    } else if (open.size > 0 && one.role !== "assistant") {
      faults.push(`${[...open]} has no result before the next ${one.role} speaks`);
      open = new Set();
    }
    if ("text" in one && one.text.trim() === "") faults.push(`the ${one.role} says nothing`);
  }
  if (open.size > 0) faults.push(`${[...open]} has no result`);
  const first = spoken.find(({ role }) => role !== "system");
  if (first?.role !== "user") faults.push(`the conversation begins with ${first?.role}`);
  const last = spoken.at(-1)?.role;
  if (last === "assistant" || last === "call") faults.push(`it ends with ${last}`);
  const roles = kind === "anthropic" ? (JSON.parse(body).messages as { role: string }[]).map(({ role }) => role) : [];
  // A message of the system stands after the user's, at the end or directly before an answer; several are one.
  const others = roles.filter((role) => role !== "system");
  const isMisplaced = (role: string, index: number) =>
    role === "system" && ((roles[index - 1] ?? "assistant") === "assistant" || roles[index + 1] === "user");
  if (others.some((role, index) => role === others[index + 1]) || roles.some(isMisplaced))
    faults.push(`the roles do not alternate: ${roles}`);
  return faults;
}
