import { z } from "@hono/zod-openapi";
import { time } from "./name.ts";
import { publication } from "./proposal.ts";

const event = {
  id: z.string().openapi({ description: "The event's id, in hex." }),
  createdAt: z.number().openapi({ description: "Its time, in seconds since 1970." }),
};

const relay = z
  .object({
    relay: z.string().openapi({ example: "wss://relay.example.org" }),
    status: z
      .enum(["newest", "behind", "nothing", "unusable", "unreachable", "late", "refused", "closed", "cut", "nonsense"])
      .openapi({
        description:
          "`newest`, `behind` or `nothing`: what it has. `unusable`: only events that cannot be used. The others: why its answer is not known.",
      }),
    head: z.object(event).nullable().openapi({ description: "The newest valid event it has." }),
    lagSeconds: z.number().nullable().openapi({ description: "How much older that is than the newest of all." }),
    reason: z.string().nullable(),
  })
  .openapi("MemoryRelay", { description: "How one relay of a core memory does." });

export const coreMemory = z
  .object({
    agent: z.string(),
    status: z.enum(["present", "empty", "unavailable"]).openapi({
      description: "`empty` only where every relay that answered has nothing, and nothing was ever seen.",
    }),
    reason: z.string().nullable().openapi({ description: "Why it is unavailable." }),
    text: z.string().nullable(),
    revision: z.int().openapi({ description: "The revision of the section `core` that this is." }),
    npub: z.string().nullable().openapi({ description: "The agent's public key; null where its key cannot be read." }),
    head: z
      .object({
        ...event,
        relay: z.string().openapi({ description: "The first relay that has it." }),
        author: z.string().openapi({ description: "Who signed it, as an npub." }),
      })
      .nullable()
      .openapi({ description: "The newest valid event on the relays." }),
    relays: z.array(relay).readonly(),
    waiting: z
      .array(
        z.object({
          ...event,
          revision: z.int(),
          at: time,
          tries: z.int(),
          nextTryAt: time.nullable(),
          missed: publication.shape.missed,
        }),
      )
      .readonly()
      .openapi({ description: "Events that no relay has confirmed yet; they are sent again." }),
    conflicts: z
      .array(
        z.object({
          id: z.string().openapi({ description: "Our event." }),
          revision: z.int(),
          by: z.string().nullable().openapi({ description: "The event that stands in its place." }),
          at: time,
        }),
      )
      .readonly()
      .openapi({ description: "The newest 10, newest first. Both texts are in the section's history." }),
    notices: z.array(z.object({ code: z.string(), message: z.string(), section: z.string().optional() })).readonly(),
  })
  .openapi("CoreMemory", { description: "A core memory: on its relays, on record, and what still has to be sent." });

export const publishResult = z
  .object({
    publication: publication.nullable().openapi({ description: "Null: nothing waited." }),
  })
  .openapi("PublishResult");
