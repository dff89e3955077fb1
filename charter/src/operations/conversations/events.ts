import { scope } from "../common-fields.ts";
import { anything, object, record, text, time, whole } from "../field.ts";
import { operation } from "../operation.ts";

const event = object({
  id: whole().optional(),
  scope,
  at: time(),
  kind: text().example("amended"),
  turn: text().nullable(),
  detail: record(anything()),
}).named(
  "FeedEvent",
  "Something that happened: an amendment, a refusal, a run that failed. One that is not stored has no id.",
);

const followEvents = operation({
  name: "events.follow",
  says: "Stream events as they happen",
  about:
    "Operators get all events, users those about their own data. " +
    "Server-sent events: each has the event's id, its kind as the name, and the event as JSON. It ends with the " +
    "server, or when the token loses access: then the last event is `closed`, with the reason. To continue, send the id " +
    "of the last event. `turn-started` is sent when a turn of this server starts; it is not stored, so it has no id.",
  route: "GET /events",
  who: "person",
  sends: "text/event-stream",
  input: {
    after: whole("Events after this one are sent first; browsers send it on their own.")
      .inHeader("last-event-id")
      .optional(),
  },
  answer: event,
  statuses: { 200: "An endless stream of server-sent events." },
});

export const operations = [followEvents];
