import { readUIMessageStream, type UIMessage, type UIMessageChunk, uiMessageChunkSchema } from "ai";
import type { AgentEvent, TurnOutcome } from "../../../src/agent/turn-interface.ts";
import type { Receipt } from "../../../src/prompt/receipt.ts";
import { createUiStream, type UiChunk, type UiStreamOptions } from "../../../src/server/turns/ui-stream.ts";

/** What an agent says in a turn, the chunks it becomes, and the message a client of the AI SDK has in the end. */

export type Said = AgentEvent extends infer One ? (One extends { turn: string } ? Omit<One, "turn"> : never) : never;

export const usage = { input: 10, read: 0, written: 0, output: 2 };
export const outcome: TurnOutcome = {
  ...{ turn: "turn-1", session: "session-1", state: "answered", reply: "It is sunny." },
  ...{ steps: 1, tainted: false, usage, cost: 0.25, notices: [] },
};
export const failed: TurnOutcome = {
  ...outcome,
  state: "failed",
  reply: null,
  problem: { code: "model-busy", message: "“m” is busy.", hint: "Wait." },
};
const receipt: Receipt = {
  ...{ charter: "assistant", edition: "full" as const, lock: "", receiver: "m", slots: [], tokens: null },
  ...{ cuts: [], omitted: [], notices: [] },
};
export const start: Said = { kind: "turn-start", agent: "ada", session: "session-1", input: "Weather?" };
export const step = (one: number): Said => ({
  kind: "step-start",
  step: one,
  receipt,
  prefixChange: { how: "kept" },
  predicted: null,
});
export const draft = (text: string): Said => ({ kind: "draft", text });
export const dropped: Said = { kind: "draft-dropped", reason: "The stream was cut." };
export const call = (id: string, name = "look", input = '{"city":"Rome"}'): Said => ({
  kind: "tool-call",
  call: { id, name, input },
});
export const result = (id: string, output: string, failure = false, name = "look"): Said => ({
  kind: "tool-result",
  result: { call: id, name, output, ...(failure ? { failed: true } : {}) },
});
export const end = (one: TurnOutcome = outcome): Said => ({ kind: "turn-end", outcome: one });

export function chunksOf(events: readonly Said[], more: Partial<UiStreamOptions> = {}): UiChunk[] {
  const chunks: UiChunk[] = [];
  const stream = createUiStream({
    send: (chunk) => chunks.push(chunk),
    forOperator: true,
    drafts: "stream",
    failureOf: ({ problem: because }) => ({ message: `${because?.message} ${because?.hint}` }),
    ...more,
  });
  for (const event of events) stream.on({ turn: "turn-1", ...event } as AgentEvent);
  return chunks;
}

/** The message a client has in the end, built by the AI SDK itself. */
export async function messageOf(
  chunks: readonly UiChunk[],
): Promise<{ message: UIMessage | undefined; errors: string[] }> {
  const errors: string[] = [];
  const stream = ReadableStream.from(chunks as unknown as UIMessageChunk[]);
  let message: UIMessage | undefined;
  const onError = (error: unknown) => void errors.push(String(error));
  for await (const one of readUIMessageStream({ stream: stream as never, onError })) message = one;
  return { message, errors };
}

export const textOf = (message: UIMessage | undefined) =>
  (message?.parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");

export async function isKnown(chunk: UiChunk): Promise<boolean> {
  const schema = uiMessageChunkSchema();
  return (await schema.validate?.(chunk))?.success === true;
}
