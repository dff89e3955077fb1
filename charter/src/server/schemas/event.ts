import { z } from "@hono/zod-openapi";
import { scope, time } from "./name.ts";

export const event = z
  .object({
    id: z.int(),
    scope,
    at: time,
    kind: z.string().openapi({ example: "amended" }),
    turn: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()),
  })
  .openapi("Event", { description: "Something that happened: an amendment, a refusal, a run that failed." });

export const feedEvent = z
  .object({ ...event.shape, id: event.shape.id.optional() })
  .openapi("FeedEvent", { description: "An event of the stream; one that is not stored has no id." });
