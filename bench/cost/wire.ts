import type { Block } from "./cache-sim.ts";

const marks = ["cache_control", "prompt_cache_breakpoint"];
/** Of what stands under these names no model reads a word. What is marked may stand in a list for that alone. */
const forms = [...marks, "type", "role", "status", "annotations", "logprobs"];
const ids = ["id", "call_id", "tool_use_id"];

type Item = { readonly role?: string; readonly type?: string; readonly content?: string | readonly object[] };
type Body = {
  readonly tools?: readonly object[];
  readonly system?: readonly object[];
  /** Anthropic's name of it. */
  readonly messages?: readonly Item[];
  /** OpenAI's. */
  readonly input?: readonly Item[];
};

/** A body that Anthropic's messages or OpenAI's responses was sent, as the simulator reads it. `count`: tokens of a text. */
export function wireBlocks(body: string, count: (text: string) => number): Block[] {
  const { tools = [], system = [], messages = [], input = messages } = JSON.parse(body) as Body;
  const blockOf = (role: Block["role"], part: object): Block => {
    const block = { id: role, role, text: wordsOf(part, forms), tokens: count(wordsOf(part, [...forms, ...ids])) };
    return marks.some((mark) => JSON.stringify(part).includes(`"${mark}":`))
      ? { ...block, cacheBreakpoint: true }
      : block;
  };
  return [
    ...(tools.length > 0 ? [blockOf("tools", tools)] : []),
    ...system.map((part) => blockOf("system", part)),
    ...input.flatMap((item) => {
      const { content } = item;
      return (typeof content === "object" ? content : [item]).map((part) => blockOf(roleOf(item), part));
    }),
  ];
}

function roleOf({ role = "assistant", type }: Item): Block["role"] {
  if (type === "function_call_output") return "user";
  return role === "developer" ? "system" : (role as Block["role"]);
}

/** Every text in a value, except under these names. */
function wordsOf(value: unknown, except: readonly string[]): string {
  if (typeof value !== "object" || value === null) return typeof value === "string" ? value : "";
  const inner = Object.entries(value).filter(([name]) => !except.includes(name));
  return inner.map(([, one]) => wordsOf(one, except)).join("\n");
}
