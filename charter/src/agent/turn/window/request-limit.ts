/** So much of a window a request may fill; the rest is for the answer. */
const share = 0.85;

/** How many tokens a request may have before the history is compacted for it; null where the window is not known. */
export function requestLimit(window: number | null): number | null {
  return window === null ? null : Math.floor(window * share);
}
