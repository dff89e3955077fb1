import type { Summary } from "../../../delivery/baseline.ts";
import { historyTokens } from "../../../delivery/message-tokens.ts";
import type { Message, ToolCall } from "../../../delivery/model.ts";
import { toldLine } from "../../../delivery/show-attachments.ts";
import { countCharacters, firstCharacters, oneLine } from "../../../prompt/character.ts";
import type { Tokenizer } from "../../../prompt/tokens.ts";

const [longest, shortest] = [32_000, 100];

/**
 * A history that has to fit into so many tokens, to be summed up: whatever is long in it is cut, and says so; where that
 * is not enough, the oldest messages go. Of attachments it is only told that they were there.
 */
export function shortened(messages: readonly Message[], maxTokens: number, tokenizer: Tokenizer): readonly Message[] {
  const fits = (some: readonly Message[]) => historyTokens(some, tokenizer) <= maxTokens;
  if (fits(messages)) return messages;
  const told = messages.map(withoutAttachments);
  let short: readonly Message[] = told;
  for (let chars = longest; chars >= shortest && !fits(short); chars /= 2)
    short = told.map((message) => cutTo(Math.floor(chars), message));
  while (!fits(short)) {
    const less = withoutOldest(short);
    if (less.length === short.length) break;
    short = less;
  }
  return short;
}

/** Without its first turn; where there is only one, without its first step: a call and its results go together. */
function withoutOldest(messages: readonly Message[]): readonly Message[] {
  const turn = messages.findIndex(({ role }, index) => index > 0 && role === "user");
  if (turn !== -1) return messages.slice(turn);
  const step = messages.findIndex(({ role }, index) => index > 1 && role === "assistant");
  return step === -1 ? messages : [...messages.slice(0, 1), ...messages.slice(step)];
}

/** Words about them: neither their bytes nor what a text file says. */
function withoutAttachments(message: Message): Message {
  if (message.role !== "user" || message.attachments === undefined) return message;
  const { attachments, text, ...rest } = message;
  const lines = attachments.map((one) => toldLine(one, "was shown before"));
  return { ...rest, text: [...lines, text].filter((part) => part !== "").join("\n\n") };
}

function cutTo(chars: number, message: Message): Message {
  if (message.role === "tool") {
    const results = message.results.map((result) => ({ ...result, output: cut(chars, result.output) }));
    return { ...message, results };
  }
  const text = cut(chars, message.text);
  if (message.role !== "assistant") return { ...message, text };
  const calls = message.calls.map((call) => (call.input.length > chars ? { ...call, input: "{}" } : call));
  return { ...message, text, calls };
}

function cut(chars: number, text: string): string {
  const first = firstCharacters(text, chars);
  if (first.length === text.length) return text;
  return `${first}\n(cut here: ${countCharacters(text.slice(first.length))} more characters)`;
}

/** The files that were read and changed, by their paths, the latest last. */
type SummaryFiles = NonNullable<Summary["files"]>;

/** The tools of a workspace that read one file or change it. */
const tools: Readonly<Record<string, keyof SummaryFiles>> = { read: "read", edit: "changed", write: "changed" };

/** So many of each are told. */
const most = 40;

/** What calls did to files, as it is on record, with what is known of the time before. Calls that failed did nothing. */
export function summaryFiles(messages: readonly Message[], before?: SummaryFiles): SummaryFiles {
  const failed = new Set(
    messages.flatMap((message) =>
      message.role === "tool" ? message.results.filter((one) => one.failed).map(({ call }) => call) : [],
    ),
  );
  const files = { read: [...(before?.read ?? [])], changed: [...(before?.changed ?? [])] };
  for (const message of messages)
    for (const call of message.role === "assistant" ? message.calls : []) {
      const what = tools[call.name];
      const path = what && !failed.has(call.id) ? pathOf(call) : undefined;
      if (what && path !== undefined) files[what] = [...files[what].filter((one) => one !== path), path].slice(-most);
    }
  return files;
}

function pathOf({ input }: ToolCall): string | undefined {
  try {
    const { path } = Object(JSON.parse(input)) as { readonly path?: unknown };
    return typeof path === "string" && path !== "" ? oneLine(path) : undefined;
  } catch {
    return undefined;
  }
}

/** A line each; none where there is nothing to tell. */
export function filesText({ read, changed }: SummaryFiles): string[] {
  return [
    ...(read.length > 0 ? [`Files read: ${read.join(", ")}`] : []),
    ...(changed.length > 0 ? [`Files changed: ${changed.join(", ")}`] : []),
  ];
}
