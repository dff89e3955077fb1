import type { FileStats } from "./disk.ts";

/** Clocks of file systems are coarse: what was written so shortly before it was read may be written once more unseen. */
const settledAfter = 50;

/**
 * Was something last changed so long ago that a later change must show in its times? To be asked before it is read. The
 * clock is only asked when what it said last does not answer that: on some machines it costs more than the reading.
 */
export function createStableCheck(now: () => number): (found: FileStats) => boolean {
  let latest = Number.NEGATIVE_INFINITY;
  return ({ mtimeMs, ctimeMs }) => {
    const from = Math.max(mtimeMs, ctimeMs) + settledAfter;
    if (from >= latest) latest = now();
    return from < latest;
  };
}
