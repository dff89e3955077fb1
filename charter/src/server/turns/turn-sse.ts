import { type Every, every as usualEvery } from "../http/interval.ts";
import type { UiChunk } from "./ui-chunk.ts";

/** A stream of events to one reader, who may be slow, and may go. */
type TurnSse = {
  readonly body: ReadableStream<Uint8Array>;
  readonly send: (chunk: UiChunk) => void;
  readonly end: () => void;
  /** Ends it here, with these as the last words: what waits for the reader is taken away. */
  readonly cutOff: (...last: readonly UiChunk[]) => void;
};

export type TurnSseOptions = {
  /** So many characters may wait for the reader. */
  readonly maxWaiting?: number;
  /** Silence as long as this is filled with a word that means nothing, so that no proxy takes the stream for dead. */
  readonly keepAliveMs?: number;
  /** A reader who takes nothing for so long, while something waits, is given up. */
  readonly timeoutMs?: number;
  readonly every?: Every;
};

const behindChunk = {
  type: "error",
  errorText:
    "You read more slowly than this turn goes on, so its stream ends here. The turn does not: look it up by its id.",
} as const;

type Delta = { readonly type: "text-delta"; readonly id: string; delta: string };

function lineOf(chunk: UiChunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/**
 * Whoever sends is never held up, and what waits is never more than `most`: words that follow each other wait as one
 * piece, and a reader who falls too far behind is told so, as the last thing. A reader who goes is no reason to stop.
 */
export function createTurnSse(about: TurnSseOptions = {}): TurnSse {
  const {
    maxWaiting: max = 2 * 1024 * 1024,
    keepAliveMs: quietMs = 15_000,
    timeoutMs: patienceMs = 60_000,
    every = usualEvery,
  } = about;
  const encoder = new TextEncoder();
  let waiting: (string | Delta)[] = [];
  let size = 0;
  let [ended, gone, silent, unreadMs] = [false, false, false, 0];
  let wake: (() => void) | undefined;
  let reader: ReadableStreamDefaultController<Uint8Array> | undefined;

  const stop = every(quietMs, () => {
    if (wake && silent) reader?.enqueue(encoder.encode(": still here\n\n"));
    silent = true;
    unreadMs = waiting.length > 0 || ended ? unreadMs + quietMs : 0;
    if (unreadMs < patienceMs) return;
    leave();
    reader?.error(new Error("Nobody reads this stream."));
  });
  const leave = () => {
    [gone, waiting, size] = [true, [], 0];
    stop();
    wake?.();
  };
  const taken = (): string => {
    const text = waiting.map((one) => (typeof one === "string" ? one : lineOf(one))).join("");
    [waiting, size, silent, unreadMs] = [[], 0, false, 0];
    return ended ? `${text}data: [DONE]\n\n` : text;
  };

  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        reader = controller;
      },
      pull: async (controller) => {
        if (waiting.length === 0 && !ended && !gone)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        wake = undefined;
        if (gone) return;
        controller.enqueue(encoder.encode(taken()));
        if (!ended) return;
        leave();
        controller.close();
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
  const end = () => {
    if (gone || ended) return;
    ended = true;
    wake?.();
  };
  const cut = (...last: readonly UiChunk[]) => {
    if (!gone) waiting = last.map(lineOf);
    end();
  };
  return {
    body,
    end,
    cutOff: cut,
    send: (chunk) => {
      if (gone || ended) return;
      const last = waiting.at(-1);
      if (chunk.type === "text-delta") {
        size += chunk.delta.length;
        if (typeof last === "object" && last.id === chunk.id) last.delta += chunk.delta;
        else waiting.push({ ...chunk });
      } else {
        const line = lineOf(chunk);
        size += line.length;
        waiting.push(line);
      }
      if (size > max) cut(behindChunk);
      wake?.();
    },
  };
}
