import { z } from "@hono/zod-openapi";
import { scope, time, user } from "./name.ts";
import { more } from "./page.ts";

export const note = z
  .object({
    id: z.string(),
    scope,
    key: z
      .string()
      .nullable()
      .openapi({ description: "A fact's name, where it has one: saving it again replaces it." }),
    text: z.string().openapi({ example: "Bo's sister is called Ida." }),
    tainted: z.boolean().openapi({ description: "It was written in a turn that contained untrusted text." }),
    turn: z.string().nullable(),
    at: time,
  })
  .openapi("Note", { description: "What an agent keeps outside the prompt." });

export const noteList = z
  .object({
    notes: z.array(note).readonly(),
    by: z
      .enum(["all-words", "any-word", "substring", "similar", "meaning"])
      .optional()
      .openapi({ description: "How a search found them." }),
    more,
  })
  .openapi("NoteList", { description: "Newest first, or best first in a search; as `charter memory --json`." });

export const newNote = z
  .strictObject({ text: note.shape.text, key: z.string().optional(), user })
  .openapi("NewNote", { example: { text: "Bo's sister is called Ida.", user: "bo" } });

export const noteChange = z
  .strictObject({ text: note.shape.text, user })
  .openapi("NoteChange", { example: { text: "Bo's sister is called Ada.", user: "bo" } });

export const vouching = z
  .strictObject({
    user: z.string().optional().openapi({ description: "Only this user's; left out, those of all users." }),
    undo: z.literal(true).optional().openapi({ description: "They are foreign again." }),
  })
  .openapi("Vouching", { example: { user: "bo" } });

export const vouchResult = z
  .object({
    notes: z.array(note).readonly().openapi({ description: "The notes that are own words now, or foreign again." }),
    flagged: z
      .array(note.extend({ because: z.string() }))
      .readonly()
      .openapi({ description: "What the override screen flags, or has hidden characters: it stays foreign." }),
  })
  .openapi("VouchResult", { description: "As `charter memory vouch --json`." });

export const forgetResult = z.object({ forgotten: z.string() }).openapi("ForgetResult");
