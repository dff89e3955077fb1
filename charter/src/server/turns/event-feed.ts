import type { Events, StoreEvent } from "../../store/event.ts";
import type { ProblemFacts } from "../http/error.ts";
import { type Every, every as usualEvery } from "../http/interval.ts";

/** Something that is told as it happens, and kept nowhere: who was away does not hear of it. */
export type TransientEvent = Omit<StoreEvent, "id">;

export type EventFeedOptions = {
  /** Silence as long as this is filled with a word that means nothing, so that no proxy takes the stream for dead. */
  readonly keepAliveMs?: number;
  /** So many events may wait for a slow reader; then the stream ends, and they come back for the rest. */
  readonly maxWaiting?: number;
  readonly every?: Every;
};

export type EventFeedReader = {
  /** The last event the reader has seen. */
  readonly after: number | undefined;
  readonly closing: AbortSignal;
  readonly disconnected: AbortSignal;
  /** The reader may not follow any more, for the reason it was aborted with. That is the last they are told. */
  readonly shutOut: AbortSignal;
  /** Tells of what is kept nowhere; gives back what stops it. */
  readonly watchTransient?: (listener: (event: TransientEvent) => void) => () => void;
  /** Called once, when nothing more is listened for. */
  readonly onClose?: () => void;
};

/** Every event from now on, and before those what came since the reader was here last. */
export function eventFeed(
  events: Pick<Events, "list" | "watch">,
  { after, closing, disconnected: gone, shutOut, watchTransient: passing, onClose: whenOver }: EventFeedReader,
  { keepAliveMs: quietMs = 15_000, maxWaiting: most = 1000, every = usualEvery }: EventFeedOptions = {},
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  /** What the reader has not taken yet is kept here, where it can be taken away again. */
  let lines: string[] = [];
  let over = false;
  let wake: (() => void) | undefined;
  const stops: (() => unknown)[] = [];
  const end = () => {
    if (over) return;
    over = true;
    for (const stop of stops) stop();
    whenOver?.();
    wake?.();
  };
  const close = () => {
    lines = [closedLine(shutOut.reason)];
    end();
  };
  const say = (words: string) => {
    if (over) return;
    if (lines.length >= most) return end();
    lines.push(words);
    wake?.();
  };
  const stopWith = (stop: () => unknown) => (over ? stop() : stops.push(stop));
  const endWith = (signal: AbortSignal, how: () => void) => {
    if (signal.aborted) return how();
    signal.addEventListener("abort", how, { once: true });
    // Who is shut out is so at the end too: what still waits for them is taken away.
    if (signal !== shutOut) stopWith(() => signal.removeEventListener("abort", how));
  };
  const begin = async () => {
    // Who watches first and looks back then misses nothing; what is seen both ways is told once.
    let waiting: (StoreEvent | TransientEvent)[] | undefined = [];
    const hear = (event: StoreEvent | TransientEvent) => (waiting ? waiting.push(event) : say(told(event)));
    const stop = await events.watch(hear);
    // What cannot be told that nobody listens any more has nothing to tell.
    stopWith(() => stop().catch(() => {}));
    if (over) return;
    if (passing) stopWith(passing(hear));
    say(": here\n\n");
    const missed = after === undefined ? [] : await since(events, after, most - 2);
    // What is kept nowhere comes first: that a turn began is not told after its end.
    const [passed, kept] = [waiting.filter((event) => !isKept(event)), waiting.filter(isKept)];
    // Events are not always written in the order of their ids: a lower one may come later, and is told all the same.
    const seen = new Set(missed.map(({ id }) => id));
    for (const event of [...passed, ...missed, ...kept.filter(({ id }) => !seen.has(id))]) say(told(event));
    waiting = undefined;
    if (!over) stopWith(every(quietMs, () => say(": still here\n\n")));
  };
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        endWith(closing, end);
        endWith(gone, end);
        endWith(shutOut, close);
        if (over) return;
        begin().catch((error: unknown) => {
          end();
          controller.error(error);
        });
      },
      pull: async (controller) => {
        if (lines.length === 0 && !over)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        wake = undefined;
        const line = lines.shift();
        if (line !== undefined) controller.enqueue(encoder.encode(line));
        else controller.close();
      },
      cancel: () => {
        lines = [];
        end();
      },
    },
    { highWaterMark: 0 },
  );
}

function isKept(event: StoreEvent | TransientEvent): event is StoreEvent {
  return "id" in event;
}

/** Without an id of its own, an event leaves who comes back where the last one with an id left them. */
function told(event: StoreEvent | TransientEvent): string {
  const id = isKept(event) ? `id: ${event.id}\n` : "";
  return `${id}event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** No event of the store: the stream's own last word, so that nobody comes back for ever. */
function closedLine({ code, message, hint }: ProblemFacts): string {
  return `event: closed\ndata: ${JSON.stringify({ code, message, hint })}\n\n`;
}

/** Oldest first; of more than there is room for, the newest. */
async function since(events: Pick<Events, "list">, after: number, most: number): Promise<StoreEvent[]> {
  const newest = await events.list({ limit: Math.max(1, Math.min(1000, most)) });
  return newest.filter(({ id }) => id > after).reverse();
}
