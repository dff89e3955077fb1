import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";

/** A thing on the page, and how large it is drawn, in pixels, as it is now. */
export function useSize<Thing extends Element>() {
  const thing = useRef<Thing>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = thing.current;
    if (!element) return;
    const look = () => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
    };
    look();
    const watching = new ResizeObserver(look);
    watching.observe(element);
    return () => watching.disconnect();
  }, []);
  return [thing, size] as const;
}

const rem = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

/** By how much letters are larger here than usual (on a very large screen): pictures grow with them. */
export function useZoom(): number {
  const [zoom, setZoom] = useState(rem);
  useEffect(() => {
    const changed = () => setZoom(rem());
    addEventListener("resize", changed);
    return () => removeEventListener("resize", changed);
  }, []);
  return zoom;
}

/** Whether the window is at least so wide: for what is costly to draw where nobody sees it. */
export function useWide(pixels: number): boolean {
  const query = `(min-width: ${pixels}px)`;
  return useSyncExternalStore(
    (changed) => {
      const watched = matchMedia(query);
      watched.addEventListener("change", changed);
      return () => watched.removeEventListener("change", changed);
    },
    () => matchMedia(query).matches,
  );
}

/** What time it is, looked at again every half minute: a line called “now” should not stand still. */
export function useNow(everyMs = 30_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(ticking);
  }, [everyMs]);
  return now;
}

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

/** Light, dark, or as the system has it. */
export type Theme = "system" | "light" | "dark";

const key = "charter-theme";

export function chosenTheme(): Theme {
  const chosen = localStorage.getItem(key);
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

export function applyTheme(theme: Theme): void {
  document.documentElement.style.colorScheme = theme === "system" ? "light dark" : theme;
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  applyTheme(theme);
}

/** Whether the server that sent this document is a demo: it marks every document, before anybody has signed in. */
export function isDemoDocument(): boolean {
  return document.documentElement.dataset.demo !== undefined;
}

/** What a style that a library writes into the page has to carry, by the page's own policy. */
export const nonce = globalThis.document?.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
