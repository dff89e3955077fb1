import type { Host } from "../../host/host.ts";
import type { Person } from "../../operations/caller.ts";
import type { Events } from "../../store/event.ts";
import type { RouteHandler } from "../operation-routes.ts";
import { type EventFeedOptions, type EventFeedReader, eventFeed } from "../turns/event-feed.ts";
import { eventFor, eventsFor, sharedEvents } from "../turns/own-events.ts";

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
