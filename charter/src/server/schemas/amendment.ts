import { z } from "@hono/zod-openapi";
import { scope, time } from "./name.ts";
import { more } from "./page.ts";

const amendment = z
  .object({
    scope,
    section: z.string(),
    revision: z.int(),
    operation: z.enum(["append", "prepend", "replace_section", "rewrite", "reset", "revert"]),
    actor: z.enum(["agent", "user", "operator"]),
    turn: z.string().nullable(),
    at: time,
    reason: z.string().nullable(),
    previous: z.string().openapi({ description: "The digest of the amendment before it." }),
    digest: z.string(),
    key: z.string().optional(),
    erasedAt: time.nullable(),
    before: z.string().nullable().openapi({ description: "Null if the text was erased." }),
    after: z.string().nullable(),
    event: z
      .object({
        id: z.string(),
        state: z.enum(["published", "waiting", "superseded", "replaced", "elsewhere"]),
        relay: z.string().nullable(),
      })
      .nullable()
      .optional()
      .openapi({
        description:
          "Of a core memory on relays: its event. `superseded`: someone else's newer one is current. `replaced`: a later change went " +
          "out instead. `elsewhere`: it was written with the same key, not from here, and found on `relay`.",
      }),
  })
  .openapi("Amendment", { description: "An accepted proposal, recorded permanently." });

export const history = z
  .object({
    agent: z.string(),
    user: z.string().nullable(),
    section: z.string(),
    amendments: z.array(amendment).readonly(),
    more,
  })
  .openapi("History", { description: "Newest first; as `charter history --json`." });
