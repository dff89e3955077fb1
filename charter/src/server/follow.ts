import type { Event, Events } from "../store/event.ts";

export type Following = {
  /** Silence as long as this is filled with a word that means nothing, so that no proxy takes the stream for dead. */
  readonly quietMs?: number;
  /** So many events may wait for a slow reader; then the stream ends, and they come back for the rest. */
  readonly most?: number;
  readonly every?: (milliseconds: number, work: () => void) => () => void;
};

export type Followed = {
  /** The last event the reader has seen. */
  readonly after: number | undefined;
  readonly closing: AbortSignal;
  readonly gone: AbortSignal;
};

/** Every event from now on, and before those what came since the reader was here last. */
export function eventStream(
  events: Pick<Events, "list" | "watch">,
  { after, closing, gone }: Followed,
  { quietMs = 15_000, most = 1000, every = timer }: Following = {},
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stop: (() => Promise<void>) | undefined;
  let silence: (() => void) | undefined;
  let over = false;
  let close = () => {};
  const end = () => {
    if (over) return;
    over = true;
    silence?.();
    for (const signal of [closing, gone]) signal.removeEventListener("abort", end);
    // What cannot be told that nobody listens any more has nothing to tell.
    stop?.().catch(() => {});
    close();
  };
  return new ReadableStream<Uint8Array>(
    {
      start: async (controller) => {
        close = () => controller.close();
        const say = (words: string) => {
          if (over) return;
          if ((controller.desiredSize ?? 0) <= 0) return end();
          controller.enqueue(encoder.encode(words));
        };
        for (const signal of [closing, gone]) signal.addEventListener("abort", end, { once: true });
        if (closing.aborted || gone.aborted) return end();
        try {
          // Who watches first and looks back then misses nothing; what is seen both ways is told once.
          let waiting: Event[] | undefined = [];
          stop = await events.watch((event) => (waiting ? waiting.push(event) : say(told(event))));
          if (over) return void stop().catch(() => {});
          say(": here\n\n");
          const missed = after === undefined ? [] : await since(events, after, most - 2);
          for (const event of missed) say(told(event));
          const last = missed.at(-1)?.id ?? 0;
          for (const event of waiting) if (event.id > last) say(told(event));
          waiting = undefined;
          silence = every(quietMs, () => say(": still here\n\n"));
          if (over) silence();
        } catch (error) {
          // The stream ends with the error, so there is nothing left to close: closing it twice would end the process.
          close = () => {};
          end();
          throw error;
        }
      },
      cancel: () => {
        close = () => {};
        end();
      },
    },
    new CountQueuingStrategy({ highWaterMark: most }),
  );
}

function told(event: Event): string {
  return `id: ${event.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Oldest first; of more than there is room for, the newest. */
async function since(events: Pick<Events, "list">, after: number, most: number): Promise<Event[]> {
  const newest = await events.list({ limit: Math.max(1, Math.min(1000, most)) });
  return newest.filter(({ id }) => id > after).reverse();
}

function timer(milliseconds: number, work: () => void): () => void {
  const one = setInterval(work, milliseconds);
  one.unref();
  return () => clearInterval(one);
}
