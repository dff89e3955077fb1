import type { Host } from "../../host/host.ts";
import { type Person, reachFor, sees } from "../../operations/caller.ts";
import type { Events, StoreEvent } from "../../store/event.ts";
import { type Every, usualEvery } from "../auth/access.ts";
import type { ProblemFacts } from "../http/error.ts";
import type { RouteHandler } from "../operation-routes.ts";

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/** What happens, for pages that stay open. All of them share one watch of a store. */
export function answerEvents(options: EventFeedOptions = {}): RouteHandler {
  const shared = new WeakMap<Events, ReturnType<typeof sharedEvents>>();
  return async (context, { host, closing }, { after }) => {
    const caller = context.get("caller") as Person;
    // Who only wants the headers would never end a stream.
    if (context.req.method === "HEAD") return context.body(null, 200, headers);
    const { events } = host.store;
    const feed = shared.get(events) ?? sharedEvents(events);
    shared.set(events, feed);
    const over = Promise.withResolvers<void>();
    context.get("hold")(over.promise);
    const signals = { closing, disconnected: context.req.raw.signal, shutOut: context.get("access").ended };
    const starts = watchTurnStarts(host);
    const watchTransient: typeof starts = (listener) =>
      starts((event) => {
        const own = eventFor(caller, event);
        if (own) listener(own);
      });
    const followed = { after: after as number | undefined, ...signals, watchTransient, onClose: over.resolve };
    return context.body(eventFeed(eventsFor(caller, feed), followed, options), 200, headers);
  };
}

/** The turns of this process, as they begin. That they end is kept with them. */
function watchTurnStarts({ watch, clock }: Host): NonNullable<EventFeedReader["watchTransient"]> {
  return (listener) =>
    watch((event, { agent, user, channel = null }) => {
      if (event.kind !== "turn-start") return;
      const scope = { agent, ...(user === undefined ? {} : { user }) };
      const detail = { session: event.session, channel };
      listener({ scope, at: clock().toISOString(), kind: "turn-started", turn: event.turn, detail });
    });
}

/** Something that is told as it happens, and kept nowhere: who was away does not hear of it. */
export type TransientEvent = Omit<StoreEvent, "id">;

type EventFeedOptions = {
  /** Silence as long as this is filled with a word that means nothing, so that no proxy takes the stream for dead. */
  readonly keepAliveMs?: number;
  /** So many events may wait for a slow reader; then the stream ends, and they come back for the rest. */
  readonly maxWaiting?: number;
  readonly every?: Every;
};

type EventFeedReader = {
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

/** What of an event's detail a user is told: which thing changed. The rest may be the operator's. */
const toldToUsers = new Set(["session", "channel", "state", "section", "revision"]);

/** The event as this caller hears of it: an operator of all, a user of what happens to what is theirs. */
function eventFor<One extends StoreEvent | TransientEvent>(caller: Person, event: One): One | undefined {
  if (caller.kind === "operator") return event;
  if (!sees(caller, event.scope)) return undefined;
  return {
    ...event,
    detail: Object.fromEntries(Object.entries(event.detail).filter(([name]) => toldToUsers.has(name))),
  };
}

/** The events of a store, as this caller hears of them. */
function eventsFor(caller: Person, events: Pick<Events, "list" | "watch">): Pick<Events, "list" | "watch"> {
  if (caller.kind === "operator") return events;
  const whose = reachFor(caller, {});
  return {
    list: async (about) => (await events.list({ ...about, ...whose })).flatMap((one) => eventFor(caller, one) ?? []),
    watch: (listener) =>
      events.watch((event) => {
        const own = eventFor(caller, event);
        if (own) listener(own);
      }),
  };
}

/** One watch of the store, however many listen: a page is open for each user, and each watch reads every event. */
function sharedEvents(events: Pick<Events, "list" | "watch">): Pick<Events, "list" | "watch"> {
  const listeners = new Set<(event: StoreEvent) => void>();
  let watching: Promise<() => Promise<void>> | undefined;
  const tell = (event: StoreEvent) => {
    for (const listener of listeners) listener(event);
  };
  const leave = async (listener: (event: StoreEvent) => void) => {
    listeners.delete(listener);
    const stop = await watching;
    if (listeners.size > 0 || !stop) return;
    watching = undefined;
    await stop();
  };
  return {
    list: events.list,
    watch: async (given) => {
      const listener = (event: StoreEvent) => given(event);
      listeners.add(listener);
      watching ??= events.watch(tell);
      try {
        await watching;
      } catch (error) {
        listeners.delete(listener);
        watching = undefined;
        throw error;
      }
      return () => leave(listener);
    },
  };
}
