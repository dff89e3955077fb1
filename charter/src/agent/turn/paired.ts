import type { Message, ToolCall, ToolResult } from "../../delivery/model.ts";

const leftOut = "(The result of this call was left out.)";

/**
 * Messages in which every call has its result and every result its call: a provider rejects a request in which one
 * stands without the other. A result that was left out says so; one whose call was left out goes with it.
 */
export function paired(messages: readonly Message[]): Message[] {
  const whole: Message[] = [];
  let open: ToolCall[] = [];
  let results: ToolResult[] = [];
  const answers = ({ call }: ToolResult) => {
    const at = open.findIndex(({ id }) => id === call);
    return at !== -1 && open.splice(at, 1).length === 1;
  };
  const close = () => {
    for (const { id, name } of open) results.push({ call: id, name, output: leftOut, failed: true });
    if (results.length > 0) whole.push({ role: "tool", results });
    open = [];
    results = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      results.push(...message.results.filter(answers));
      continue;
    }
    close();
    whole.push(message);
    if (message.role === "assistant") open = [...message.calls];
  }
  close();
  return whole;
}
