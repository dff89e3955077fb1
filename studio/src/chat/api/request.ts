import { useSyncExternalStore } from "react";
import { createAct } from "../../kit/act.ts";
import { createDoor } from "../../kit/door.ts";
import { refresh } from "./read.ts";

/** Whose session is over is signed out here as well. */
export const { request, getJson, sendJson } = createDoor({
  base: "/chat",
  enter: () => {
    const half = readHalf();
    return {
      ...(half === null ? {} : { headers: { "x-charter-half": half } }),
      // Another tab may have signed in meanwhile: only what this half was told ends it.
      signedOut: () => half !== null && readHalf() === half && keepHalf(null),
    };
  },
});

export const remove = (path: string) => request(path, { method: "DELETE" });

/** The address of something of the agent's one is signed in to. */
export function agentPath(agent: string, ...names: readonly string[]): string {
  return ["/api/agents", agent, ...names].map((name, at) => (at === 0 ? name : encodeURIComponent(name))).join("/");
}

export const useAct = createAct(refresh);

/**
 * The half of a session that this page keeps. The other is a cookie no script can read: neither opens anything alone.
 * A private window without a store keeps it as long as the page.
 */
const key = "charter-chat-half";
const watchers = new Set<() => void>();
let unkept: string | null = null;

export function readHalf(): string | null {
  try {
    return localStorage.getItem(key) ?? unkept;
  } catch {
    return unkept;
  }
}

export function keepHalf(half: string | null): void {
  unkept = half;
  try {
    if (half === null) localStorage.removeItem(key);
    else localStorage.setItem(key, half);
  } catch {
    // It is kept here then.
  }
  for (const watcher of watchers) watcher();
}

/** Whoever signs in or out in another tab of this browser does so here as well. */
export function useHalf(): string | null {
  return useSyncExternalStore(watch, readHalf);
}

function watch(watcher: () => void): () => void {
  const elsewhere = (event: StorageEvent) => (event.key === key || event.key === null) && watcher();
  watchers.add(watcher);
  addEventListener("storage", elsewhere);
  return () => {
    watchers.delete(watcher);
    removeEventListener("storage", elsewhere);
  };
}
