import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

const near = 120;

/**
 * Stays at the end for whoever is at the end, and leaves whoever reads further up where they are. `away`: something
 * stands below what is seen. Where there is not anything yet, one begins at the top.
 */
export function useEnd(any: boolean): {
  readonly around: RefObject<HTMLElement | null>;
  readonly inside: RefObject<HTMLDivElement | null>;
  readonly away: boolean;
  readonly toEnd: () => void;
} {
  const around = useRef<HTMLElement>(null);
  const inside = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const some = useRef(any);
  some.current = any;
  const [away, setAway] = useState(false);
  const toEnd = useCallback(() => {
    follows.current = true;
    setAway(false);
    around.current?.scrollTo({ top: around.current.scrollHeight });
  }, []);
  useEffect(() => {
    const [scroller, content] = [around.current, inside.current];
    if (!scroller || !content) return;
    let height = scroller.scrollHeight;
    const scrolled = () => {
      // What grew under one's eyes moved the end away; one did not leave it.
      if (scroller.scrollHeight !== height) return;
      follows.current = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < near;
      setAway(!follows.current);
    };
    const watcher = new ResizeObserver(() => {
      height = scroller.scrollHeight;
      if (follows.current && some.current) scroller.scrollTo({ top: height });
    });
    scroller.addEventListener("scroll", scrolled, { passive: true });
    watcher.observe(content);
    watcher.observe(scroller);
    return () => {
      watcher.disconnect();
      scroller.removeEventListener("scroll", scrolled);
    };
  }, []);
  return { around, inside, away, toEnd };
}

/** Whether a thing was ever looked at, or nearly. */
export function useSeen<Thing extends Element>(): [RefObject<Thing | null>, boolean] {
  const thing = useRef<Thing>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (!thing.current || seen) return;
    const root = thing.current.closest("[data-scrolls]");
    const watcher = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { root, rootMargin: "600px 0px" },
    );
    watcher.observe(thing.current);
    return () => watcher.disconnect();
  }, [seen]);
  return [thing, seen];
}
