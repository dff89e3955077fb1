import { createRoute, z } from "@hono/zod-openapi";
import type { Host } from "../../host/host.ts";
import type { Routes } from "../api.ts";
import { checkPerson } from "../http/caller.ts";
import { feedEvent } from "../schemas/event.ts";
import { problems } from "../schemas/response.ts";
import { type EventFeedOptions, type EventFeedReader, eventFeed } from "../turns/event-feed.ts";
import { eventFor, eventsFor, sharedEvents } from "../turns/own-events.ts";

const comingBack = z.object({
  "last-event-id": z
    .string()
    .regex(/^\d{1,15}$/, "must be the id of an event")
    .transform(Number)
    .optional()
    .openapi({
      type: "integer",
      param: { required: false },
      description: "Events after this one are sent first; browsers send it on their own.",
    }),
});

/** For pages that stay open. `timing` is for tests: a silence, and who waits for it. */
export function eventRoutes(options: EventFeedOptions = {}): Routes {
  return (api, { host, closing }) => {
    const shared = sharedEvents(host.store.events);
    const following = createRoute({
      method: "get",
      path: "/events",
      tags: ["events"],
      summary: "Stream events as they happen",
      description:
        "Operators get all events, users those about their own data. " +
        "Server-sent events: each has the event's id, its kind as the name, and the event as JSON. It ends with the " +
        "server, or when the token loses access: then the last event is `closed`, with the reason. To continue, send the id " +
        "of the last event. `turn-started` is sent when a turn of this server starts; it is not " +
        "stored, so it has no id.",
      request: { headers: comingBack },
      responses: {
        200: {
          description: "An endless stream of server-sent events.",
          content: { "text/event-stream": { schema: feedEvent } },
        },
        ...problems(),
      },
    });
    api.openapi(following, async (context) => {
      const caller = context.get("caller");
      checkPerson(caller, "following what happens");
      const headers = {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      };
      // Who only wants the headers would never end a stream.
      if (context.req.method === "HEAD") return context.body(null, 200, headers) as never;
      const after = context.req.valid("header")["last-event-id"];
      const over = Promise.withResolvers<void>();
      context.get("hold")(over.promise);
      const signals = { closing, disconnected: context.req.raw.signal, shutOut: context.get("access").ended };
      const starts = watchTurnStarts(host);
      const watchTransient: typeof starts = (listener) =>
        starts((event) => {
          const own = eventFor(caller, event);
          if (own) listener(own);
        });
      const followed = { after, ...signals, watchTransient, onClose: over.resolve };
      const body = eventFeed(eventsFor(caller, shared), followed, options);
      return context.body(body, 200, headers) as never;
    });
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
