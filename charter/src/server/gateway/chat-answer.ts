import type { ToolCall, Usage } from "../../delivery/model.ts";

/** A stretch of a turn that answers one request: its end, or calls that the client is to run. */
export type Stretch = {
  readonly text: string | null;
  readonly calls: readonly ToolCall[];
  readonly finish: "stop" | "length" | "tool_calls";
  /** Usage of the whole turn, where it has ended. */
  readonly usage?: Usage | undefined;
};

type AnswerFacts = { readonly turn: string; readonly model: string; readonly at: Date };

function opening({ turn, model, at }: AnswerFacts, object: string) {
  return { id: `chatcmpl-${turn}`, object, created: Math.floor(at.getTime() / 1000), model };
}

/** The whole answer, as JSON. */
export function completionOf(stretch: Stretch, facts: AnswerFacts): object {
  const { text, calls, finish, usage } = stretch;
  const called = calls.length === 0 ? {} : { tool_calls: calls.map(callOf) };
  const message = { role: "assistant", content: text, refusal: null, ...called };
  const choice = { index: 0, message, logprobs: null, finish_reason: finish };
  return { ...opening(facts, "chat.completion"), choices: [choice], ...(usage ? { usage: usageOf(usage) } : {}) };
}

/** First chunk of a stream. */
export function firstChunk(facts: AnswerFacts): object {
  return chunk(facts, { role: "assistant", content: "" });
}

/** Last chunks of a stream, with all that it says: this wire cannot take words back. */
export function lastChunks({ text, calls, finish, usage }: Stretch, facts: AnswerFacts, tellsUsage: boolean): object[] {
  const called = calls.map((one, index) => ({ index, ...callOf(one) }));
  const all = [
    ...(text === null ? [] : [chunk(facts, { content: text })]),
    ...(called.length === 0 ? [] : [chunk(facts, { tool_calls: called })]),
    chunk(facts, {}, finish),
  ];
  if (!tellsUsage) return all;
  const counted = usage === undefined ? null : usageOf(usage);
  return [...all, { ...opening(facts, "chat.completion.chunk"), choices: [], usage: counted }];
}

function chunk(facts: AnswerFacts, delta: object, finish: Stretch["finish"] | null = null): object {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  return { ...opening(facts, "chat.completion.chunk"), choices };
}

function callOf({ id, name, input }: ToolCall) {
  return { id, type: "function", function: { name, arguments: input } };
}

function usageOf({ input, read, output }: Usage) {
  const [prompt, completion] = [input ?? 0, output ?? 0];
  return {
    ...{ prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
    prompt_tokens_details: { cached_tokens: read ?? 0 },
  };
}
