import type { UiChunk } from "charter/answers";
import { useSyncExternalStore } from "react";
import { ApiProblem } from "../../kit/door.ts";
import { serverSentEvents } from "../../kit/server-sent-events.ts";
import { begun, createUnfold, type Unfolding } from "../../kit/unfold.ts";
import { refresh } from "../api/read.ts";
import { agentPath, request, sendJson } from "../api/request.ts";
import { type Attachment, inputOf } from "./attachment.tsx";
import { kindWords, toolWords } from "./exchange.tsx";

/** Something that was said here, and the answer as far as it has come. It goes on while other pages are looked at. */
export type Said = Words & {
  readonly key: string;
  /** The conversation it belongs to: its id, or `new` until it has one. */
  readonly session: string;
  readonly at: string;
  readonly reply: Unfolding;
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
  const put = (reply: Unfolding) => {
    const known = reply.session !== undefined && reply.session !== said.session ? reply.session : undefined;
    said = { ...said, reply, ...(known === undefined ? {} : { session: known }) };
    become(all.map((one) => (one.key === key ? said : one)));
    if (known !== undefined) onSession(known);
  };
  try {
    for await (const chunk of chunks(agent, said)) put(take(said.reply, chunk));
    if (!said.reply.ended) lost();
  } catch (error) {
    if (error instanceof ApiProblem) put({ ...said.reply, busy: "", ended: { because: whyNot(error) } });
    else lost();
  }
  refresh();

  /** The connection broke, and the turn goes on: its answer is read from the record. */
  function lost() {
    if (said.reply.turn === undefined) put({ ...said.reply, busy: "", ended: { because: "The connection was lost." } });
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

/** What is known of an answer after one more piece of the stream. */
export const take = createUnfold({
  tool: (name) => toolWords(name, "running"),
  ownTool: ({ kind }) => `${kindWords(kind)}…`,
  retry: () => "The model is busy. Trying again…",
});
