import type { UiChunk } from "charter/answers";
import { useSyncExternalStore } from "react";
import { serverSentEvents } from "../../kit/server-sent-events.ts";
import { refresh } from "../api/read.ts";
import { ApiProblem, agentPath, request, sendJson } from "../api/request.ts";
import type { Refusal } from "../kit/page.tsx";
import { type Attachment, inputOf } from "./attachment.tsx";
import { kindWords, type ToolState, toolWords } from "./exchange.tsx";

/** Something that was said here, and the answer as far as it has come. It goes on while other pages are looked at. */
export type Said = Words & {
  readonly key: string;
  /** The conversation it belongs to: its id, or `new` until it has one. */
  readonly session: string;
  readonly at: string;
  readonly reply: Reply;
};

export type Words = {
  readonly text: string;
  readonly files: readonly Attachment[];
  /** Somebody has just written it here; not, where a button says it for them. */
  readonly typed?: true;
};

const maxKept = 40;
let all: readonly Said[] = [];
let count = 0;
let drawing = false;
const watchers = new Set<() => void>();

function become(next: readonly Said[]): void {
  all = next.slice(-maxKept);
  // Once a frame: text may come faster than anyone reads.
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    for (const watcher of watchers) watcher();
  });
}

export function useSaid(): readonly Said[] {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => all,
  );
}

/** Whoever signs out, or is erased, takes along what they said. */
export function forgetTalks(): void {
  become([]);
}

/** What failed and is said again stands there once. */
export function drop(key: string): void {
  become(all.filter((one) => one.key !== key));
}

/** Says something and follows the answer. `onSession` hears the id of a conversation that is new. */
export async function say(
  agent: string,
  session: string,
  words: Words,
  onSession: (session: string) => void,
): Promise<void> {
  const key = `said-${++count}`;
  let said: Said = { ...words, key, session, at: new Date().toISOString(), reply: begun };
  become([...all, said]);
  const put = (reply: Reply) => {
    const known = reply.session !== undefined && reply.session !== said.session ? reply.session : undefined;
    said = { ...said, reply, ...(known === undefined ? {} : { session: known }) };
    become(all.map((one) => (one.key === key ? said : one)));
    if (known !== undefined) onSession(known);
  };
  try {
    for await (const chunk of chunks(agent, said)) put(take(said.reply, chunk));
    if (!said.reply.ended) lost();
  } catch (error) {
    if (error instanceof ApiProblem) put({ ...said.reply, busy: "", ended: { failed: whyNot(error) } });
    else lost();
  }
  refresh();

  /** The connection broke, and the turn goes on: its answer is read from the record. */
  function lost() {
    if (said.reply.turn === undefined) put({ ...said.reply, busy: "", ended: { failed: "The connection was lost." } });
    else drop(key);
  }
}

async function* chunks(agent: string, { session, text, files, typed }: Said): AsyncGenerator<UiChunk> {
  const body = { input: inputOf(text, files), ...(typed ? { typed: text } : {}), channel: "web", session };
  const answer = await request(agentPath(agent, "turns"), { body, accept: "text/event-stream" });
  for await (const sent of serverSentEvents(answer.body as ReadableStream<Uint8Array>))
    if (sent?.data.startsWith("{")) yield JSON.parse(sent.data) as UiChunk;
}

function whyNot({ status, message, error }: ApiProblem): string {
  if (status === 429) return "Too many requests. Wait a moment, then try again.";
  const { hint } = error;
  return hint && !hint.includes("`") ? `${message} ${hint}` : message;
}

export async function stop(turn: string): Promise<void> {
  await sendJson(`/api/turns/${encodeURIComponent(turn)}/stop`);
}

/** Something of an answer besides its text, in the order it came. */
export type Happening =
  | { readonly kind: "tool"; readonly id: string; readonly name: string; readonly state: ToolState }
  | { readonly kind: "own-tool"; readonly id: string; readonly words: string; readonly running: boolean }
  /** Text before a tool was used: no part of the answer. */
  | { readonly kind: "aside"; readonly text: string }
  | { readonly kind: "changed"; readonly section: string; readonly diff?: string }
  | { readonly kind: "refused"; readonly section: string; readonly refusals: readonly Refusal[] }
  | { readonly kind: "held"; readonly held: string }
  | { readonly kind: "notice"; readonly text: string };

/** An answer as it comes: what is known of it so far. */
export type Reply = {
  readonly turn?: string;
  readonly session?: string;
  readonly text: string;
  /** What the agent is at, while there is no text. */
  readonly busy?: string;
  readonly happened: readonly Happening[];
  readonly ended?: "answered" | "stopped" | { readonly failed: string };
  /** So much had happened when the step began: what a withdrawn step goes back to. */
  readonly before: number;
};

export const begun: Reply = { text: "", busy: "Thinking…", happened: [], before: 0 };

/** What is known after one more piece of the stream. Text that is withdrawn goes. */
export function take(reply: Reply, chunk: UiChunk): Reply {
  switch (chunk.type) {
    case "start":
      return { ...reply, turn: chunk.messageId, session: chunk.messageMetadata.session };
    case "start-step":
      return { ...reply, busy: "Thinking…", text: "", before: reply.happened.length };
    case "text-delta":
      return { ...quiet(reply), text: reply.text + chunk.delta };
    case "reset-step":
      return { ...reply, busy: "Thinking…", text: "", happened: reply.happened.slice(0, reply.before) };
    case "tool-input-available": {
      const { toolCallId: id, toolName: name } = chunk;
      return add({ ...reply, busy: toolWords(name, "running") }, { kind: "tool", id, name, state: "running" });
    }
    case "tool-output-available":
      return toolEnded(reply, chunk.toolCallId, "done");
    case "tool-output-error":
      return toolEnded(reply, chunk.toolCallId, "failed");
    case "finish":
      return reply.ended ? reply : { ...quiet(reply), ended: "answered" };
    case "abort":
      return { ...quiet(reply), text: "", ended: "stopped" };
    case "error":
      return { ...quiet(reply), text: "", ended: { failed: chunk.errorText } };
    default:
      return chunk.type.startsWith("data-") ? takeData(reply, chunk as DataChunk) : reply;
  }
}

type DataChunk = Extract<UiChunk, { readonly data: unknown }>;

/** What our own pieces carry, each some of it. */
type Data = {
  readonly section: string;
  readonly diff?: string;
  readonly refusals?: unknown;
  readonly held?: string;
  readonly text: string;
  readonly code: string;
  readonly message?: string;
  readonly kind: string;
  readonly status: string;
};

/** Notices that say something to whoever reads the answer, in words of ours; that of own words says which they are. */
const notices: Readonly<Record<string, string>> = {
  "answer-cut": "The answer was cut off: it became too long.",
  compacted: "Earlier messages were summarised or left out to make room.",
  tainted: "This answer uses text or files that may be from somebody else. Changes it leads to wait for your approval.",
  unchanged: "Nothing was changed: it already says this.",
};

function takeData(reply: Reply, { type, id = "", data }: DataChunk): Reply {
  const { section, diff, refusals, held, text, code, message, kind, status } = data as Data;
  switch (type) {
    case "data-aside":
      return add(reply, { kind: "aside", text });
    case "data-notice": {
      const words = code === "own-words" ? message : notices[code];
      return words === undefined ? reply : add(reply, { kind: "notice", text: words });
    }
    case "data-amendment":
      return add(reply, { kind: "changed", section, ...(diff === undefined ? {} : { diff }) });
    case "data-refusal":
      return add(unmade(reply, "refused"), { kind: "refused", section, refusals: refusalsIn(refusals) });
    case "data-held":
      return held === undefined ? reply : add(unmade(reply, "waits"), { kind: "held", held });
    case "data-own-tool":
      return ownTool(reply, { id, words: kindWords(kind), running: status === "pending" || status === "running" });
    case "data-retry":
      return { ...reply, busy: "The model is busy. Trying again…" };
    default:
      return reply;
  }
}

function refusalsIn(value: unknown): readonly Refusal[] {
  return Array.isArray(value) ? (value as Refusal[]).filter((one) => typeof one?.guard === "string") : [];
}

function add(reply: Reply, one: Happening): Reply {
  return { ...reply, happened: [...reply.happened, one] };
}

function quiet({ busy: _, ...reply }: Reply): Reply {
  return reply;
}

/** A call that waits or is refused did not fail, whatever its result says. */
function toolEnded(reply: Reply, id: string, state: "done" | "failed"): Reply {
  const happened = reply.happened.map((one) =>
    one.kind === "tool" && one.id === id && one.state === "running" ? { ...one, state } : one,
  );
  const running = happened.findLast((one) => one.kind === "tool" && one.state === "running");
  const busy = running?.kind === "tool" ? toolWords(running.name, "running") : "Thinking…";
  return reply.busy === undefined ? { ...reply, happened } : { ...reply, happened, busy };
}

function unmade(reply: Reply, state: "refused" | "waits"): Reply {
  const at = reply.happened.findLastIndex((one) => one.kind === "tool" && one.state === "running");
  if (at === -1) return reply;
  const happened = reply.happened.map((one, index) => (index === at && one.kind === "tool" ? { ...one, state } : one));
  return { ...reply, happened };
}

/** The same tool again takes the place of what was told of it before. */
function ownTool(reply: Reply, of: { readonly id: string; readonly words: string; readonly running: boolean }): Reply {
  const one: Happening = { kind: "own-tool", ...of };
  const next = reply.busy === undefined ? reply : { ...reply, busy: of.running ? `${of.words}…` : "Thinking…" };
  if (!reply.happened.some((other) => other.kind === "own-tool" && other.id === of.id)) return add(next, one);
  const happened = reply.happened.map((other) => (other.kind === "own-tool" && other.id === of.id ? one : other));
  return { ...next, happened };
}
