import { useCallback, useEffect, useState } from "react";

const prefix = "charter-draft:";

/** Where something is typed, by names that may hold whatever they like: no two places are the same by accident. */
export function placeOfDraft(...names: readonly (string | null)[]): string {
  return JSON.stringify(names);
}

/**
 * What someone is typing, kept where a reload, a reconnect, a sign-in or a crash of the page does not reach it.
 * `undefined` is: nothing typed. Another page of the same browser that types in the same place is seen here too. What was
 * sent is `settled` once it arrived: it goes, unless something else was typed since, and says whether it did.
 */
export function useDraft<Value = string>(
  place: string,
): [Value | undefined, (value: Value | undefined) => void, settled: (sent: Value | undefined) => boolean] {
  const [draft, setDraft] = useState<{ place: string; value: Value | undefined }>(() => ({
    place,
    value: readDraft<Value>(place),
  }));
  if (draft.place !== place) setDraft({ place, value: readDraft<Value>(place) });
  useEffect(() => {
    const elsewhere = ({ key }: StorageEvent) => {
      if (key === prefix + place) setDraft({ place, value: readDraft<Value>(place) });
    };
    const here = (changed: string, value: unknown) => {
      if (changed === place) setDraft({ place, value: value as Value | undefined });
    };
    addEventListener("storage", elsewhere);
    watchers.add(here);
    return () => {
      removeEventListener("storage", elsewhere);
      watchers.delete(here);
    };
  }, [place]);
  const set = useCallback(
    (value: Value | undefined) => {
      writeDraft(place, value);
      setDraft({ place, value });
    },
    [place],
  );
  const settled = useCallback(
    (sent: Value | undefined) => {
      const same = JSON.stringify(readDraft(place)) === JSON.stringify(sent);
      if (same) writeDraft(place, undefined);
      return same;
    },
    [place],
  );
  return [draft.place === place ? draft.value : readDraft<Value>(place), set, settled];
}

/** Is something unsaved there? */
export function hasDraft(place: string): boolean {
  return readDraft(place) !== undefined;
}

/** What was typed in places whose first name is this one goes: whoever uses the browser next does not read it. */
export function dropDrafts(first: string): void {
  const start = prefix + placeOfDraft(first).slice(0, -1);
  for (const key of Object.keys(localStorage)) if (key.startsWith(start)) localStorage.removeItem(key);
}

/** Whoever shows a draft hears of it, also when someone wrote it who is not shown any more. */
const watchers = new Set<(place: string, value: unknown) => void>();

/** What the browser's own store had no room for: it lasts as long as the page. */
const unkept = new Map<string, unknown>();

// Then whoever leaves the page is asked first.
globalThis.addEventListener?.("beforeunload", (event) => unkept.size > 0 && event.preventDefault());

/** What is typed there now, whatever a page that is drawn later still shows. */
export function readDraft<Value>(place: string): Value | undefined {
  if (unkept.has(place)) return unkept.get(place) as Value;
  const kept = localStorage.getItem(prefix + place);
  if (kept === null) return undefined;
  try {
    return JSON.parse(kept) as Value;
  } catch {
    return undefined;
  }
}

function writeDraft(place: string, value: unknown): void {
  unkept.delete(place);
  try {
    if (value === undefined) localStorage.removeItem(prefix + place);
    else localStorage.setItem(prefix + place, JSON.stringify(value));
  } catch {
    unkept.set(place, value);
  }
  for (const watcher of watchers) watcher(place, value);
}
