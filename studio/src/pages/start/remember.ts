import { useSyncExternalStore } from "react";
import { type Remembered, readRemembered } from "./first-steps.ts";

const key = "charter-first-steps";
const watchers = new Set<() => void>();

/** What this browser remembers of the three steps; seen here as soon as it changes. */
export function useRemembered(): Remembered {
  const kept = useSyncExternalStore(watch, () => localStorage.getItem(key));
  return readRemembered(kept);
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  addEventListener("storage", watcher);
  return () => {
    watchers.delete(watcher);
    removeEventListener("storage", watcher);
  };
}

/** Adds to it. Another agent begins anew. */
export function remember(agent: string, more: Omit<Remembered, "agent">): void {
  const before = readRemembered(localStorage.getItem(key));
  const kept = before.agent === agent ? before : {};
  const next = JSON.stringify({ ...kept, agent, ...more });
  if (next === localStorage.getItem(key)) return;
  try {
    localStorage.setItem(key, next);
  } catch {
    // A browser without room remembers nothing: the steps are shown again.
  }
  for (const watcher of watchers) watcher();
}
