import { createContext, useCallback, useContext, useEffect, useSyncExternalStore } from "react";
import { ApiProblem } from "../../kit/door.ts";
import { serverSentEvents, silenceMs } from "../../kit/server-sent-events.ts";
import { getJson, readHalf, request } from "./request.ts";

/** What is known of an address: what it answered last, or why it did not. */
export type Read<Answer> = { readonly data?: Answer; readonly problem?: ApiProblem };

type Kept = { read: Read<unknown>; readonly watchers: Set<() => void>; asked: number; told: number };

const nothing: Read<never> = {};
const kept = new Map<string, Kept>();

/** Reads an address and shows it; `refresh` reads all that is shown again. Without an address nothing is read. */
export function useRead<Answer>(path: string | undefined): Read<Answer> {
  const watch = useCallback(
    (watcher: () => void) => {
      if (path === undefined) return () => {};
      const one = keptFor(path);
      one.watchers.add(watcher);
      return () => one.watchers.delete(watcher);
    },
    [path],
  );
  const read = useSyncExternalStore(watch, () => (path === undefined ? nothing : (kept.get(path)?.read ?? nothing)));
  useEffect(() => {
    if (path !== undefined) void ask(path);
  }, [path]);
  return read as Read<Answer>;
}

function keptFor(path: string): Kept {
  const one = kept.get(path) ?? { read: nothing, watchers: new Set(), asked: 0, told: 0 };
  kept.set(path, one);
  return one;
}

/** An answer that comes after a later one's is not shown. */
async function ask(path: string): Promise<void> {
  const one = keptFor(path);
  const mine = ++one.asked;
  const half = readHalf();
  const tell = (read: Read<unknown>) => {
    if (mine < one.told || readHalf() !== half) return;
    one.told = mine;
    one.read = read;
    for (const watcher of one.watchers) watcher();
  };
  try {
    tell({ data: await getJson(path) });
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    tell({ ...one.read, problem: error });
  }
}

/** Something changed: what is looked at is read again, and the rest when it is looked at. */
export function refresh(): void {
  for (const [path, { watchers }] of kept)
    if (watchers.size > 0) void ask(path);
    else kept.delete(path);
}

/** Whoever signs out takes along what they have read. */
export function forgetAll(): void {
  kept.clear();
}

/** What a picture or a file may be: how large, how many, of which kind. */
export type FileLimits = {
  readonly kinds: readonly string[];
  readonly maxBytes: number;
  readonly maxCount: number;
};

/** What the page knows of whom it is for: the answer of `GET /chat/api/page`. */
export type PageFacts = {
  readonly agent: { readonly name: string; readonly label: string | null };
  readonly user: string;
  readonly zone: string | null;
  readonly session: { readonly id: string } | null;
  readonly telegram: { readonly possible: boolean; readonly linked: number };
  readonly files: FileLimits | null;
  readonly waiting: number;
  /** A script stands in for a model. */
  readonly standIn: boolean;
  readonly sections: readonly { readonly name: string; readonly heading: string | null; readonly revision: number }[];
};

const Facts = createContext<PageFacts | undefined>(undefined);

export const FactsProvider = Facts.Provider;

export function useFacts(): PageFacts {
  const facts = useContext(Facts);
  if (!facts) throw new Error("Nobody is signed in.");
  return facts;
}

/** What the agent is called for people. */
export function agentLabel({ agent }: Pick<PageFacts, "agent">): string {
  return agent.label ?? agent.name;
}

const [first, longest] = [1_000, 30_000];

/** Reads again what is shown whenever something of the user's own changes, wherever it was done. Ends with `signal`. */
export async function follow(signal: AbortSignal): Promise<void> {
  for (let wait = first; !signal.aborted; wait = Math.min(2 * wait, longest)) {
    try {
      const answer = await request("/api/events", { accept: "text/event-stream", signal });
      // What happened while nobody listened is found by reading again.
      refresh();
      wait = first;
      for await (const event of serverSentEvents(answer.body as ReadableStream<Uint8Array>, silenceMs)) {
        if (signal.aborted) return;
        if (event) soon();
      }
    } catch (error) {
      if (signal.aborted || (error instanceof ApiProblem && [401, 403, 404].includes(error.status))) return;
    }
    await pause(wait, signal);
  }
}

let waits = false;

/** Things happen together: they are read about once. */
function soon(): void {
  if (waits) return;
  waits = true;
  setTimeout(() => {
    waits = false;
    refresh();
  }, 250);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
