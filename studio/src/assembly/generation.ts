import { useEffect, useRef, useSyncExternalStore } from "react";
import { type FeedEvent, onEvent, useConnection } from "../api/event-feed.ts";

/** How often an agent's words may have changed since the page was opened: what was gathered before is gathered anew. */
const generations = new Map<string, number>();
const watchers = new Set<() => void>();
const soon = new Map<string, ReturnType<typeof setTimeout>>();

/** Many events at once are one reason to look again. */
const pauseMs = 200;

function pass(agent: string): void {
  if (soon.has(agent)) return;
  soon.set(
    agent,
    setTimeout(() => {
      soon.delete(agent);
      generations.set(agent, (generations.get(agent) ?? 0) + 1);
      for (const watcher of watchers) watcher();
    }, pauseMs),
  );
}

/** Nothing stands otherwise because a turn has begun. */
const changesNothing: ReadonlySet<string> = new Set(["turn-started", "turn-late"]);

const heard = ({ kind, scope }: FeedEvent) => {
  if (!changesNothing.has(kind)) pass(scope.agent);
};

function watch(watcher: () => void): () => void {
  onEvent(heard);
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

export function useGeneration(agent: string): number {
  const connection = useConnection();
  const before = useRef(connection);
  useEffect(() => {
    if (before.current === "away" && connection === "live") pass(agent);
    before.current = connection;
  }, [connection, agent]);
  return useSyncExternalStore(watch, () => generations.get(agent) ?? 0);
}
