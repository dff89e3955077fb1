import { useSyncExternalStore } from "react";
import { serverSentEvents, silenceMs } from "../kit/server-sent-events.ts";
import { queryClient, wasAskedBefore } from "./query-client.ts";
import { ApiProblem, request } from "./request.ts";

/** Something that happened, as `GET /api/events` tells it. */
export type FeedEvent = {
  readonly scope: { readonly agent: string; readonly user?: string };
  readonly at: string;
  readonly kind: string;
  readonly turn: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
};

export type Connection = "connecting" | "live" | "away";

let connection: Connection = "connecting";
const watchers = new Set<() => void>();
const listeners = new Set<(event: FeedEvent) => void>();

const longestPauseMs = 5_000;

/** The one open line to the server, for as long as the page is open. Whatever was missed while it was away is told first. */
export async function followEventFeed(): Promise<never> {
  let last: string | undefined;
  for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const line = new AbortController();
    const silence = setTimeout(() => line.abort(), silenceMs);
    try {
      const answer = await request("/events", {
        accept: "text/event-stream",
        signal: line.signal,
        ...(last === undefined ? {} : { headers: { "last-event-id": last } }),
      });
      clearTimeout(silence);
      setConnection("live");
      pauseMs = 250;
      let isHeard = false;
      for await (const sent of serverSentEvents(answer.body as ReadableStream<Uint8Array>)) {
        // Its first word says that from now on all is told.
        if (!isHeard) refreshOlder(performance.now());
        isHeard = true;
        if (sent === undefined) continue;
        // The server's last word: whoever is shut out is sent to the sign-in page when they ask again.
        if (sent.name === "closed") break;
        last = sent.id ?? last;
        tell(JSON.parse(sent.data) as FeedEvent);
      }
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 401) throw error;
    }
    clearTimeout(silence);
    setConnection("away");
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function tell(event: FeedEvent): void {
  for (const listener of listeners) listener(event);
  refresh();
}

function setConnection(next: Connection): void {
  if (next === connection) return;
  connection = next;
  for (const watcher of watchers) watcher();
}

/** Everything a page shows is read again: soon, and once for many reasons. */
export const refresh = coalesce(() => queryClient.invalidateQueries({ queryKey: ["api"] }), {
  delayMs: 120,
  timeoutMs: 2_000,
});

/** What was asked before the line was open may have missed something. */
function refreshOlder(moment: number): void {
  void queryClient.invalidateQueries({
    queryKey: ["api"],
    predicate: ({ queryKey }) => wasAskedBefore(queryKey, moment),
  });
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => connection,
  );
}

/** Gives back what stops it. */
export function onEvent(listener: (event: FeedEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export type CoalesceOptions = {
  /** Many wishes within this time are one. */
  readonly delayMs: number;
  /** Whoever takes longer is not waited for. */
  readonly timeoutMs: number;
};

/**
 * Does something soon, and once for many wishes. A wish that comes while it is being done is done afterwards: were it
 * begun anew each time, it would never come to an end where wishes come faster than it takes.
 */
export function coalesce(
  what: () => Promise<unknown>,
  { delayMs: soonMs, timeoutMs: patienceMs }: CoalesceOptions,
): () => void {
  let state: "idle" | "waiting" | "doing" = "idle";
  let again = false;
  const begin = async () => {
    state = "waiting";
    await pause(soonMs);
    state = "doing";
    again = false;
    let enough = () => {};
    const patience = setTimeout(() => enough(), patienceMs);
    await Promise.race([
      what().catch(() => {}),
      new Promise<void>((resolve) => {
        enough = resolve;
      }),
    ]);
    clearTimeout(patience);
    state = "idle";
    if (again) void begin();
  };
  return () => {
    if (state === "idle") void begin();
    else if (state === "doing") again = true;
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
