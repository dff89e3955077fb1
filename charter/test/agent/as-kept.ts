import { expect } from "vitest";
import { replayRequest, replayRequestBody } from "../../src/agent/replay.ts";
import type { Message, Native, ToolCall, ToolResult } from "../../src/delivery/model.ts";
import { historyDigest } from "../../src/delivery/prediction.ts";
import type { Receiver } from "../../src/delivery/receiver.ts";
import type { ReplayedStep, Step, Store } from "../../src/store/index.ts";
import { sha256 } from "../../src/store/texts/packing.ts";
import type { RecordedRequest } from "../../src/testing/strict/recorder.ts";
import type { Kind } from "../../src/testing/strict/speech.ts";
import { asksWindow } from "./extensions/loopback-agent.ts";
import { breakpointsIn, disorderIn, readBody, type Spoken } from "./on-wire.ts";

type Came = {
  readonly input?: string;
  readonly faults?: readonly unknown[];
  readonly answer?: { readonly text: string; readonly calls: readonly ToolCall[]; readonly native?: Native };
  readonly results?: readonly ToolResult[];
  readonly partial?: string;
  readonly correction?: string;
  readonly because?: { readonly code: string };
};

/** The wire, held against the store: who was spoken to, in which protocol, and what they got. */
export type Wire = {
  readonly kind: Kind;
  readonly receiver: Receiver;
  readonly store: Store;
  readonly requests: readonly RecordedRequest[];
};

/**
 * Every request of these turns, and no other, is on the wire, once for each time a step was asked; and each says, byte
 * for byte, what the store can rebuild of it: the prompt's words from the receipt, the conversation from the turns.
 */
export async function expectAsKept({ kind, receiver, store, requests }: Wire, turns: readonly string[]): Promise<void> {
  const bodies = requests.filter((one) => !asksWindow(one)).map(({ body }) => body);
  let at = 0;
  for (const turn of turns)
    for (const step of await store.steps.of(turn)) {
      const asked = timesAsked(step);
      const [first = "", ...again] = bodies.slice(at, at + asked);
      at += asked;
      for (const body of again) expect(body).toBe(first);
      const replayed = await replayRequest(store, turn, step.step);
      const made = await replayRequestBody(replayed);
      expect(made).toMatchObject({ text: first, same: true, sent: { digest: sha256(first) } });
      const sent = replayed.step;
      const history = await historyOf(store, sent, receiver);
      const { spoken } = readBody(kind, first);
      const kept = spokenBy(sent, history);
      expect(spoken).toEqual(kept);
      expect(breakpointsIn(first)).toBe(kept.filter(({ breakpoint }) => breakpoint).length);
      expect(disorderIn(kind, first)).toEqual([]);
      expect(sent.receipt.history).toMatchObject({
        messages: history.length,
        digest: historyDigest(history, sha256),
      });
      const [system] = sent.receipt.slots;
      const blocks = spoken.slice(0, Math.max(1, system?.breakpoints.length ?? 0));
      expect(sha256(blocks.map((one) => ("text" in one ? one.text : "")).join(""))).toBe(system?.digest);
    }
  expect(at).toBe(bodies.length);
}

function timesAsked({ result }: Step): number {
  const { faults = [], answer } = (result ?? {}) as Came;
  return faults.length + (answer ? 1 : 0);
}

/** What a step's receipt and the conversation before it come to on the wire. */
function spokenBy(sent: ReplayedStep, history: readonly Message[]): Spoken[] {
  const { receipt, text } = sent;
  const marks = receipt.history?.breakpoints ?? [];
  const [system] = receipt.slots;
  const ends = [...new Set([...(system?.breakpoints ?? []), system?.sections.length ?? 0])];
  const blocks = ends.map((end, index): Spoken => {
    const words = system?.sections.slice(ends[index - 1] ?? 0, end).map(text) ?? [];
    return { role: "system", text: words.join(""), ...(system?.breakpoints.includes(end) ? { breakpoint: true } : {}) };
  });
  const said = history.flatMap((message, index) => {
    const one = spokenIn(message);
    const last = one.pop();
    return last ? [...one, marks.includes(index + 1) ? { ...last, breakpoint: true as const } : last] : [];
  });
  return [...blocks, ...said];
}

function spokenIn(message: Message): Spoken[] {
  if (message.role === "tool") return message.results.map(({ call, output }) => ({ role: "result", id: call, output }));
  const words: Spoken[] = message.text.trim() === "" ? [] : [{ role: message.role, text: message.text }];
  if (message.role !== "assistant") return words;
  return [
    ...words,
    ...message.calls.map(({ id, name, input }): Spoken => ({ role: "call", id, name, input: soundInput(input) })),
  ];
}

/** Arguments that are no JSON object go back as none. */
function soundInput(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return {};
  }
}

/** The messages a step was sent after: what its session's turns said, and where its receipt says an update stood. */
async function historyOf(store: Store, sent: ReplayedStep, { voice }: Receiver): Promise<Message[]> {
  const { session } = await store.turns.get(sent.turn);
  const turns = await store.sessions.history(String(session));
  const current = turns.findIndex(({ id }) => id === sent.turn);
  const since = sent.receipt.history?.source?.since;
  const first = since ? turns.findIndex(({ id }) => id === since.turn) : -1;
  // Reasoning from before the prefix is bound to another one.
  const isBound = (index: number, step: number) =>
    since === undefined || index > first || (index === first && step >= since.step);
  const messages = turns.slice(0, current + 1).flatMap((turn, index): Message[] => {
    const steps = turn.steps.map(({ step, result }) => ({ step, came: (result ?? {}) as Came }));
    const before = index === current ? steps.filter(({ step }) => step < sent.step) : steps;
    const acted = steps.some(({ came }) => came.answer && came.answer.calls.length > 0);
    const last = steps.at(-1)?.came ?? {};
    const stop = index < current && turn.state !== "answered" ? stopAfter(last) : [];
    if (index < current && turn.state !== "answered" && !acted && stop.length === 0) return [];
    const input = steps.find(({ came }) => came.input !== undefined)?.came.input ?? turn.input;
    const said = before.flatMap(({ came, step }) => saidIn(came, isBound(index, step)));
    // No user speaks right after results.
    const isAfterResults = index < current && turn.state !== "answered" && said.at(-1)?.role === "tool";
    return [
      { role: "user", text: input },
      ...said,
      ...(isAfterResults && stop[0]?.role !== "assistant" ? [assistantStop] : stop),
    ];
  });
  for (const { slot, sections, message } of sent.receipt.slots) {
    const [section] = sections;
    if (slot !== "update" || section === undefined || message === undefined) continue;
    const role = section.trust === "foreign" ? "user" : voice;
    messages.splice(message, 0, { role, text: sent.text(section), update: section.name });
  }
  return messages;
}

const stopped = "[Stopped here: this message has no finished answer.]";
const assistantStop: Message = { role: "assistant", text: stopped, calls: [] };

/** Why a turn has no answer, where its question is told all the same: the model could not be had. */
const away = /^model-(?:aborted|busy|cut|failed|unreachable)$|^turn-time$/;

function stopAfter({ because, faults = [], partial = "" }: Came): Message[] {
  const { outage } = Object(faults.at(-1)) as { readonly outage?: true };
  if (!because || !(away.test(because.code) || outage)) return [];
  const begun: Message[] = partial === "" ? [] : [{ role: "assistant", text: partial, calls: [] }];
  return [...begun, { role: "user", text: stopped }];
}

function saidIn({ answer, results = [], correction }: Came, isBound: boolean): Message[] {
  if (!answer) return [];
  // No provider takes an answer of nothing.
  if (answer.text.trim() === "" && answer.calls.length === 0)
    return correction === undefined ? [] : [{ role: "user", text: correction }];
  const { text, calls, native } = answer;
  const said: Message = { role: "assistant", text, calls, ...(native !== undefined && isBound ? { native } : {}) };
  return calls.length === 0 ? [said] : [said, { role: "tool", results }];
}
