import { z } from "@hono/zod-openapi";
import { notice } from "./agent.ts";
import { time } from "./name.ts";
import { more } from "./page.ts";
import { publication } from "./proposal.ts";

export const section = z
  .object({
    name: z.string().openapi({ example: "instructions" }),
    layer: z.string(),
    owner: z.string().nullable().openapi({ description: "Who is responsible for the layer.", example: "operator" }),
    heading: z.string().nullable().openapi({ example: "## User Instructions" }),
    mutability: z.enum(["fixed", "live", "amendable"]),
    amendableBy: z
      .array(z.enum(["agent", "user", "operator"]))
      .readonly()
      .openapi({ description: "Who can change it: `agent`, `user` or `operator`." }),
    scope: z
      .enum(["agent", "user"])
      .openapi({ description: "`agent`: one text for all users. `user`: each user has their own." }),
    original: z.string().nullable().openapi({ description: "The original text; reset goes back to it." }),
    text: z.string().nullable().openapi({
      description: "The current text. Null if it is generated per turn, or if it is per user and no user was given.",
    }),
    rendered: z.string().nullable().openapi({
      description: "As it is in the next prompt, with its heading. Null if it is not in it.",
    }),
    revision: z.int().nullable().openapi({ description: "The number of amendments so far; proposals name it." }),
    updatedAt: time.nullable().openapi({ description: "When it was last amended." }),
    updatedByTurn: z
      .string()
      .nullable()
      .openapi({ description: "The turn that last amended it; null if a person did." }),
    digest: z.string().nullable().openapi({
      description: "For a fixed section: the SHA-256 of its text, as pinned in charter.lock. Otherwise null.",
    }),
    notices: z.array(notice).readonly(),
  })
  .openapi("Section");

export const sectionList = z.object({ sections: z.array(section).readonly(), more }).openapi("SectionList");

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
          by: z.string().nullable().openapi({ description: "The event that is current instead." }),
          at: time,
        }),
      )
      .readonly()
      .openapi({ description: "The newest 10, newest first. Both texts are in the section's history." }),
    notices: z.array(notice).readonly(),
  })
  .openapi("CoreMemory", { description: "A core memory: on its relays, on record, and what still has to be sent." });

export const publishResult = z
  .object({
    publication: z.union([publication, z.null()]).openapi({ description: "Null: nothing waited." }),
  })
  .openapi("PublishResult");
