/** What a model hears of a request, whatever protocol it came in. */
export type Heard = {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
};

type Json = Readonly<Record<string, unknown>>;

/** The words of a request in their order: the system prompt, what was said, what was called, what came of it. */
export function heardIn(body: string): Heard[] {
  const { system, instructions, messages, input } = JSON.parse(body) as Json;
  const said = ((messages ?? input ?? []) as readonly Json[]).flatMap(heardOf);
  return [...[system, instructions].map((words): Heard => ({ role: "system", text: textIn(words) })), ...said].filter(
    ({ text }) => text !== "",
  );
}

function heardOf(one: Json): Heard[] {
  if (one.type === "function_call") return [{ role: "assistant", text: `${one.name} ${one.arguments}` }];
  if (one.type === "function_call_output") return [{ role: "tool", text: textIn(one.output) }];
  const role = one.role === "developer" ? "system" : (one.role as Heard["role"]);
  const blocks = Array.isArray(one.content) ? (one.content as readonly Json[]) : [{ type: "text", text: one.content }];
  const results = blocks.filter(({ type }) => type === "tool_result");
  const others = blocks.filter(({ type }) => type !== "tool_result");
  const calls = ((one.tool_calls ?? []) as readonly { function: Json }[]).map(
    ({ function: { name, arguments: given } }) => `${name} ${given}`,
  );
  return [
    ...results.map(({ content }): Heard => ({ role: "tool", text: textIn(content) })),
    { role, text: [textIn(others), ...calls].filter((words) => words !== "").join("\n") },
  ];
}

function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textIn).join("\n");
  if (typeof value !== "object" || value === null) return "";
  const { text, content, input } = value as Json;
  return [text, content].map(textIn).join("") + (input === undefined ? "" : JSON.stringify(input));
}
