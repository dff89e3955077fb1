import { type KeyboardEvent, type RefObject, useRef, useState } from "react";

/** What each row's main link carries, so that the keys find it. */
export const rowMark = "data-row";

/**
 * Rows one below the other that are one stop of the Tab key: the arrows, Home and End go from row to row. One stands at a
 * row, not at a number: rows that come or go above it change nothing.
 */
export function useRowWalk<Around extends HTMLElement>(
  ids: readonly string[],
): {
  readonly around: RefObject<Around | null>;
  readonly at: string | undefined;
  readonly pressed: (event: KeyboardEvent) => void;
  readonly arrived: (id: string) => void;
} {
  const around = useRef<Around>(null);
  const [chosen, setChosen] = useState<string>();
  const at = chosen !== undefined && ids.includes(chosen) ? chosen : ids[0];
  return {
    around,
    at,
    arrived: setChosen,
    pressed: (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || at === undefined) return;
      const next = nextRow(event.key, ids.indexOf(at), ids.length);
      if (next === undefined) return;
      event.preventDefault();
      const id = ids[next] as string;
      setChosen(id);
      const rows = around.current?.querySelectorAll<HTMLElement>(`[${rowMark}]`) ?? [];
      [...rows].find((row) => row.getAttribute(rowMark) === id)?.focus();
    },
  };
}

/** To which row a key leads; to none where it is no such key. */
export function nextRow(key: string, at: number, size: number): number | undefined {
  const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: size - 1 }[key];
  return to === undefined ? undefined : Math.max(0, Math.min(size - 1, to));
}
