import type { DatabaseSync } from "node:sqlite";

/** A commit by any process moves a number that is cheap to read; our own commits wake us at once. */
export async function watchFile(
  handle: DatabaseSync | undefined,
  wake: () => void,
  wakers: Set<() => void>,
): Promise<() => Promise<void>> {
  wakers.add(wake);
  const version = () => Object.values(handle?.prepare("pragma data_version").get() ?? {})[0];
  let last = version();
  const timer = setInterval(() => {
    try {
      const now = version();
      if (now !== last) wake();
      last = now;
    } catch {
      // A file that cannot be read at this moment is looked at again at the next.
    }
  }, 100);
  timer.unref();
  return async () => {
    clearInterval(timer);
    wakers.delete(wake);
    handle?.close();
  };
}
