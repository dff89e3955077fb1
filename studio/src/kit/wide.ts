import { useSyncExternalStore } from "react";

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
