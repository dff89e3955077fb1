import type { Host } from "../../host/host.ts";
import { type Person, reachFor, sees } from "../../operations/caller.ts";
import type { Events, StoreEvent } from "../../store/event.ts";
import { scopeNamed } from "../../store/scope.ts";
import { type Every, usualEvery } from "../auth/access.ts";
import type { ProblemFacts } from "../http/error.ts";
import type { RouteHandler } from "../operation-routes.ts";

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/** Streams events to pages that stay open. All streams share one watch of the store. */
export function answerEvents(options: EventFeedOptions = {}): RouteHandler {
  const shared = new WeakMap<Events, ReturnType<typeof sharedEvents>>();
  return async (context, { host, closing }, { after }) => {
    const caller = context.get("caller") as Person;
    // A HEAD request gets the headers alone, because the stream would never end.
    if (context.req.method === "HEAD") return context.body(null, 200, headers);
    const { events } = host.store;
    const feed = shared.get(events) ?? sharedEvents(events);
    shared.set(events, feed);
    const done = Promise.withResolvers<void>();
    context.get("hold")(done.promise);
    const signals = { closing, disconnected: context.req.raw.signal, shutOut: context.get("access").ended };
    const starts = watchTurnStarts(host);
    const watchTransient: typeof starts = (listener) =>
      starts((event) => {
        const own = eventFor(caller, event);
        if (own) listener(own);
      });
    const followed = { after: after as number | undefined, ...signals, watchTransient, onClose: done.resolve };
    return context.body(eventFeed(eventsFor(caller, feed), followed, options), 200, headers);
  };
}

/** Watches turns of this process begin. Their ends are stored as events. */
function watchTurnStarts({ watch, clock }: Host): NonNullable<EventFeedReader["watchTransient"]> {
  return (listener) =>
    watch((event, { agent, user, channel = null }) => {
      if (event.kind !== "turn-start") return;
      const scope = scopeNamed(agent, user ?? null);
      const detail = { session: event.session, channel };
      listener({ scope, at: clock().toISOString(), kind: "turn-started", turn: event.turn, detail });
    });
}

/** Event that is sent as it happens and not stored: a reader who was away misses it. */
export type TransientEvent = Omit<StoreEvent, "id">;

type EventFeedOptions = {
  /** Milliseconds of silence after which a comment is sent, so that no proxy takes the stream for dead. */
  readonly keepAliveMs?: number;
  /** Maximum number of events that wait for a slow reader; then the stream ends, and the reader reconnects for the rest. */
  readonly maxWaiting?: number;
  readonly every?: Every;
};

type EventFeedReader = {
  /** Id of the last event the reader has seen. */
  readonly after: number | undefined;
  readonly closing: AbortSignal;
  readonly disconnected: AbortSignal;
  /** Aborted, with the reason, when the reader is shut out. The reason is the last thing they get. */
  readonly shutOut: AbortSignal;
  /** Watches events that are not stored; returns a function that stops it. */
  readonly watchTransient?: (listener: (event: TransientEvent) => void) => () => void;
  /** Called once, when the stream is over. */
  readonly onClose?: () => void;
};

/** Streams every event from now on, after those since the reader's last visit. */
export function eventFeed(
  events: Pick<Events, "list" | "watch">,
  { after, closing, disconnected, shutOut, watchTransient, onClose }: EventFeedReader,
  { keepAliveMs = 15_000, maxWaiting = 1000, every = usualEvery }: EventFeedOptions = {},
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  /** Lines the reader has not taken yet; they are kept here so that they can be discarded. */
  let lines: string[] = [];
  let isOver = false;
  let wake: (() => void) | undefined;
  const stops: (() => unknown)[] = [];
  const end = () => {
    if (isOver) return;
    isOver = true;
    for (const stop of stops) stop();
    onClose?.();
    wake?.();
  };
  const close = () => {
    lines = [closedLine(shutOut.reason)];
    end();
  };
  const say = (words: string) => {
    if (isOver) return;
    if (lines.length >= maxWaiting) return end();
    lines.push(words);
    wake?.();
  };
  const stopWith = (stop: () => unknown) => (isOver ? stop() : stops.push(stop));
  const endWith = (signal: AbortSignal, how: () => void) => {
    if (signal.aborted) return how();
    signal.addEventListener("abort", how, { once: true });
    // A reader who is shut out while the stream is ending loses the waiting lines as well.
    if (signal !== shutOut) stopWith(() => signal.removeEventListener("abort", how));
  };
  const begin = async () => {
    // Watching starts before earlier events are read, so that none is missed; one that appears in both is sent once.
    let waiting: (StoreEvent | TransientEvent)[] | undefined = [];
    const hear = (event: StoreEvent | TransientEvent) => (waiting ? waiting.push(event) : say(eventText(event)));
    const stop = await events.watch(hear);
    // A failure to stop watching needs no report: nobody listens any more.
    stopWith(() => stop().catch(() => {}));
    if (isOver) return;
    if (watchTransient) stopWith(watchTransient(hear));
    say(": here\n\n");
    const missed = after === undefined ? [] : await since(events, after, maxWaiting - 2);
    // Events that are not stored come first, so that a turn's start is not sent after its end.
    const [passed, kept] = [waiting.filter((event) => !isKept(event)), waiting.filter(isKept)];
    // Events may be written out of the order of their ids: a lower one that comes later is sent all the same.
    const sentIds = new Set(missed.map(({ id }) => id));
    for (const event of [...passed, ...missed, ...kept.filter(({ id }) => !sentIds.has(id))]) say(eventText(event));
    waiting = undefined;
    if (!isOver) stopWith(every(keepAliveMs, () => say(": still here\n\n")));
  };
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        endWith(closing, end);
        endWith(disconnected, end);
        endWith(shutOut, close);
        if (isOver) return;
        begin().catch((error: unknown) => {
          end();
          controller.error(error);
        });
      },
      pull: async (controller) => {
        if (lines.length === 0 && !isOver)
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

/** Formats an event. One without an id leaves a reconnecting reader at the last event that had one. */
function eventText(event: StoreEvent | TransientEvent): string {
  const id = isKept(event) ? `id: ${event.id}\n` : "";
  return `${id}event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Last message of a stream that is closed for good, so that the reader does not reconnect. It is no event of the store. */
function closedLine({ code, message, hint }: ProblemFacts): string {
  return `event: closed\ndata: ${JSON.stringify({ code, message, hint })}\n\n`;
}

/** Events since an id, oldest first; if there are too many, the newest. */
async function since(events: Pick<Events, "list">, after: number, most: number): Promise<StoreEvent[]> {
  const newest = await events.list({ limit: Math.max(1, Math.min(1000, most)) });
  return newest.filter(({ id }) => id > after).reverse();
}

/** Details of an event that users see: which thing changed. Others may be the operator's. */
const toldToUsers = new Set(["session", "channel", "state", "section", "revision"]);

/** The event as this caller may see it: operators see all, users what happens to their own data. */
function eventFor<One extends StoreEvent | TransientEvent>(caller: Person, event: One): One | undefined {
  if (caller.kind === "operator") return event;
  if (!sees(caller, event.scope)) return undefined;
  return {
    ...event,
    detail: Object.fromEntries(Object.entries(event.detail).filter(([name]) => toldToUsers.has(name))),
  };
}

/** Events of a store, as this caller may see them. */
function eventsFor(caller: Person, events: Pick<Events, "list" | "watch">): Pick<Events, "list" | "watch"> {
  if (caller.kind === "operator") return events;
  const reach = reachFor(caller, {});
  return {
    list: async (about) => (await events.list({ ...about, ...reach })).flatMap((one) => eventFor(caller, one) ?? []),
    watch: (listener) =>
      events.watch((event) => {
        const own = eventFor(caller, event);
        if (own) listener(own);
      }),
  };
}

/** Shares one watch of the store among all streams: a page is open for each user, and each watch reads every event. */
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
