import type { Baseline } from "../../../delivery/baseline.ts";
import { historyOf, type PastTurn } from "../../../delivery/history.ts";
import type { Message } from "../../../delivery/model.ts";
import { toldLine } from "../../../delivery/show-attachments.ts";
import type { KeptResult } from "../step-result.ts";
import type { AgentDeps, TurnState } from "../turn-state.ts";
import { readResultName } from "./result-room.ts";

/** What `read_result` reads a history by that was left out. No result has this name. */
export const historyName = "history";

const line = `(More was said before this. It is left out here, since it was not summed up: ${readResultName} ${JSON.stringify({ of: historyName, from: 0 })} reads it from the beginning.)`;

/** What is left of a history that nobody summed up: the notes there were, behind the line that says what is missing. */
export function leftOutText(notes: string): string {
  return [line, notes.replaceAll(line, "").trim()].filter((part) => part !== "").join("\n");
}

/** Everything that was said up to where the session goes on, as it is on record. */
export async function leftOutHistory(
  { store }: AgentDeps,
  { who: { session }, seat: { model } }: Pick<TurnState, "who" | "seat">,
): Promise<KeptResult["whole"]> {
  const { baseline } = session;
  const summary = baseline?.summary;
  if (!summary?.leftOut) return undefined;
  const all = await store.sessions.history(session.id);
  const told = all.slice(0, all.findIndex(({ id }) => id === summary.until) + 1).map((turn) => {
    if (turn.id !== summary.until || summary.step === undefined) return turn;
    const steps = turn.steps.filter(({ step }) => step <= (summary.step as number));
    return { ...turn, state: "answered", reply: null, steps };
  });
  const plain: Baseline = { ...baseline, summary: null, updates: [] } as Baseline;
  const stretches = historyOf(told as readonly PastTurn[], plain, model.receiver);
  const text = stretches.flatMap(({ messages }) => messages.map(written)).join("\n\n");
  return { text, ...(stretches.some(({ tainted }) => tainted) ? { foreign: true } : {}) };
}

function written(message: Message): string {
  if (message.role === "tool")
    return message.results.map(({ name, output }) => `${name} returned: ${output}`).join("\n");
  if (message.role === "assistant") {
    const calls = message.calls.map(({ name, input }) => `You called ${name} ${input}`);
    return [...(message.text === "" ? [] : [`You: ${message.text}`]), ...calls].join("\n");
  }
  const files = (message.attachments ?? []).map((one) => toldLine(one, "was shown"));
  return [`Person: ${message.text}`, ...files].join("\n");
}
