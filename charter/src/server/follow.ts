import type { Event, Events } from "../store/event.ts";

/** Something that is told as it happens, and kept nowhere: who was away does not hear of it. */
export type PassingEvent = Omit<Event, "id">;

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
  /** Tells of what is kept nowhere; gives back what stops it. */
  readonly passing?: (listener: (event: PassingEvent) => void) => () => void;
};

/** Every event from now on, and before those what came since the reader was here last. */
export function eventStream(
  events: Pick<Events, "list" | "watch">,
  { after, closing, gone, passing }: Followed,
  { quietMs = 15_000, most = 1000, every = timer }: Following = {},
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stop: (() => Promise<void>) | undefined;
  let silence: (() => void) | undefined;
  let deaf: (() => void) | undefined;
  let over = false;
  let close = () => {};
  const end = () => {
    if (over) return;
    over = true;
    silence?.();
    deaf?.();
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
          let waiting: (Event | PassingEvent)[] | undefined = [];
          const hear = (event: Event | PassingEvent) => (waiting ? waiting.push(event) : say(told(event)));
          stop = await events.watch(hear);
          if (over) return void stop().catch(() => {});
          deaf = passing?.(hear);
          say(": here\n\n");
          const missed = after === undefined ? [] : await since(events, after, most - 2);
          // What is kept nowhere comes first: that a turn began is not told after its end.
          const [passed, kept] = [waiting.filter((event) => !isKept(event)), waiting.filter(isKept)];
          // Events are not always written in the order of their ids: a lower one may come later, and is told all the same.
          const seen = new Set(missed.map(({ id }) => id));
          for (const event of [...passed, ...missed, ...kept.filter(({ id }) => !seen.has(id))]) say(told(event));
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

function isKept(event: Event | PassingEvent): event is Event {
  return "id" in event;
}

/** Without an id of its own, an event leaves who comes back where the last one with an id left them. */
function told(event: Event | PassingEvent): string {
  const id = isKept(event) ? `id: ${event.id}\n` : "";
  return `${id}event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
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
