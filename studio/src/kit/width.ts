import { type RefObject, useEffect, useRef, useState } from "react";

/** How wide a thing on the page is, in pixels, and stays so as the window changes; 0 until it was laid out. */
export function useWidth<Thing extends Element>(): [RefObject<Thing | null>, number] {
  const thing = useRef<Thing>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!thing.current) return;
    const watcher = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    watcher.observe(thing.current);
    return () => watcher.disconnect();
  }, []);
  return [thing, width];
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
