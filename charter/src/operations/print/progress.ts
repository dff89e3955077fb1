/** One line that tells how far long work is, rewritten in place; `end` takes it away. */
export type Progress = { readonly say: (line: string) => void; readonly end: () => void };

type Stream = { readonly isTTY?: boolean; readonly columns?: number; readonly write: (text: string) => unknown };

/** Shown where someone looks, at most ten times a second. A pipe gets none of it. */
export function progressOn(stream: Stream = process.stderr, now: () => number = Date.now): Progress {
  if (!stream.isTTY) return { say: () => {}, end: () => {} };
  let last = Number.NEGATIVE_INFINITY;
  let shown = false;
  return {
    say: (line) => {
      if (now() - last < 100) return;
      last = now();
      shown = true;
      stream.write(`\r\u001b[2K${line.slice(0, (stream.columns || 80) - 1)}`);
    },
    end: () => {
      if (shown) stream.write("\r\u001b[2K");
      shown = false;
    },
  };
}
