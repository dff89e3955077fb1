import type { Fault, Model, ToolCall } from "../../delivery/model.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { standIn } from "../../delivery/stand-in.ts";
import { messagesIn, viewOf } from "../../delivery/stand-in-view.ts";

/** What a model does when it is told something: calls tools, step by step, and then says something; or fails. */
export type ScriptLine =
  | { readonly calls?: readonly (readonly (readonly [tool: string, input: object])[])[]; readonly says: string }
  /** The body of its answer to a message in its inbox. */
  | { readonly replies: string }
  | { readonly fault: Fault };

/** What it does, by the words it is told; capitals and the last full stop do not matter. */
export type Script = ReadonlyMap<string, ScriptLine>;

type ScriptedModelOptions = {
  readonly script: Script;
  readonly now: () => Date;
  /** What it counts and is billed as; as the stand-in, unless given. */
  readonly receiver?: Receiver;
};

/** The stand-in with a script: where its words are not in the script, the stand-in answers. It asks nobody. */
export function createScriptedModel({ script, now, receiver }: ScriptedModelOptions): Model {
  const model = standIn({ now });
  const lines = new Map([...script].map(([words, line]) => [keyOf(words), line]));
  return {
    receiver: receiver ?? model.receiver,
    ask: async (request, asking) => {
      const { asked, steps } = viewOf(request);
      const line = lines.get(keyOf(asked));
      if (line === undefined) return model.ask(request, asking);
      if ("fault" in line) return { fault: line.fault };
      // What it costs and finds in its cache is reckoned as for any other answer.
      const { answer, fault } = await model.ask(request, { signal: asking.signal });
      if (fault) return { fault };
      const { text, calls } =
        "replies" in line ? replyTo(messageIn(request), line.replies, steps.length) : next(line, steps.length);
      for (const piece of text.match(/\S+\s*/g) ?? []) asking.onText?.(piece);
      const written = text + calls.map(({ name, input }) => name + input).join("");
      const usage = { ...answer.usage, output: Math.ceil(written.length / 4) };
      return { answer: { text, calls, finish: calls.length > 0 ? "tool-calls" : "stop", usage } };
    },
  };
}

type Move = { readonly text: string; readonly calls: readonly ToolCall[] };

function next({ calls, says }: Extract<ScriptLine, { readonly says: string }>, done: number): Move {
  const step = calls?.[done];
  return step ? { text: "", calls: step.map(callAt(done)) } : { text: says, calls: [] };
}

function replyTo(message: string | undefined, body: string, done: number): Move {
  if (message === undefined || done > 0) return { text: "Answered.", calls: [] };
  return { text: "", calls: [callAt(done)(["reply", { message, body }], 0)] };
}

function callAt(step: number) {
  return ([name, input]: readonly [string, object], index: number): ToolCall => ({
    ...{ id: `call_${step + 1}_${index + 1}`, name },
    input: JSON.stringify(input),
  });
}

function messageIn({ messages }: Parameters<Model["ask"]>[0]): string | undefined {
  const last = messages.findLast(({ role }) => role === "user");
  return last?.role === "user" ? messagesIn(last.text)[0]?.id : undefined;
}

function keyOf(words: string): string {
  return words
    .trim()
    .toLowerCase()
    .replaceAll("’", "'")
    .replace(/[.!?…]+$/, "");
}
