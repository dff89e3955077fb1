import { useCallback, useEffect, useSyncExternalStore } from "react";
import { readHalf } from "./half.ts";
import { ApiProblem, getJson } from "./request.ts";

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
