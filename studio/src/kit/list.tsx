import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, type RefObject, useRef, useState } from "react";
import { count } from "./words.ts";

type LongListProps<Item> = {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item, index: number) => string;
  readonly draw: (item: Item, index: number) => ReactNode;
  /** What the list is of, for whoever cannot see it. */
  readonly label: string;
  /** So many are shown at first. */
  readonly first?: number;
};

/** A list of any length: its beginning, and on request all of it, of which only what is looked at is drawn. */
export function LongList<Item>({ items, keyOf, draw, label, first = 12 }: LongListProps<Item>) {
  const [all, setAll] = useState(false);
  if (items.length > first && all) return <Whole items={items} keyOf={keyOf} draw={draw} label={label} />;
  return (
    <>
      <ul aria-label={label} className="space-y-1">
        {items.slice(0, first).map((item, index) => (
          <li key={keyOf(item, index)}>{draw(item, index)}</li>
        ))}
      </ul>
      {items.length > first && (
        <button type="button" onClick={() => setAll(true)} className="mt-1 font-medium text-accent underline">
          Show all {count(items.length)}
        </button>
      )}
    </>
  );
}

function Whole<Item>({ items, keyOf, draw, label }: LongListProps<Item>) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    overscan: 8,
    getItemKey: (index) => keyOf(items[index] as Item, index),
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys.
    <section ref={scroller} tabIndex={0} aria-label={label} className="max-h-96 overflow-y-auto">
      <ul className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => (
          <li
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            aria-posinset={index + 1}
            aria-setsize={items.length}
            className="absolute inset-x-0 pb-1"
            style={{ transform: `translateY(${start}px)` }}
          >
            {draw(items[index] as Item, index)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/**
 * Many things side by side that are one stop of the Tab key: the arrows, Home and End go from one to the next. Each
 * carries `data-walk` with its number, and is in the Tab order only where it is the one `at` which one stands.
 */
export function useWalk<Around extends HTMLElement>(
  size: number,
  first: number,
): {
  readonly around: RefObject<Around | null>;
  readonly at: number;
  readonly pressed: (event: KeyboardEvent) => void;
  readonly arrived: (number: number) => void;
} {
  const around = useRef<Around>(null);
  const [chosen, setChosen] = useState<number>();
  const at = Math.min(chosen ?? first, size - 1);
  return {
    around,
    at,
    arrived: setChosen,
    pressed: (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: size - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = Math.max(0, Math.min(size - 1, to));
      setChosen(next);
      around.current?.querySelector<HTMLElement>(`[data-walk="${next}"]`)?.focus();
    },
  };
}
