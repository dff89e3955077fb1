import { type KeyboardEvent, type RefObject, useRef, useState } from "react";

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
