import { checkNames } from "../../prompt/argument.ts";
import { preview } from "../../prompt/character.ts";
import { reasonOf } from "../../prompt/problem.ts";
import type { SchemaOutput } from "../standard-schema.ts";
import { defineTool, type Tool } from "../tool.ts";
import { findNote, inboxNoteInput, noteInput, noteMeant } from "./find-note.ts";

/**
 * Tool: the agent deletes one of its notes. Only those of the turn's own user or sender, or its own in its own turns.
 * While untrusted text is in the turn a person has to say yes; `inbox`: for agents with an inbox, which have nobody to
 * ask, and delete only notes that came of untrusted text then.
 */
export function forgetMemory(options: { readonly inbox?: boolean } = {}): Tool {
  checkNames<typeof options>("forgetMemory", options, ["inbox"]);
  const { inbox = false } = options;
  return defineTool({
    name: "forget_memory",
    input: inbox ? inboxNoteInput : noteInput,
    summary: "Delete a note from long-term memory",
    description: inbox
      ? "Deletes a note, by its key or its id, for good. In a turn with somebody, only notes about them; in a turn of your own, only your own."
      : "Deletes a note, by its key or its id, for good. read_memory tells both.",
    ...(inbox ? {} : { sensitive: true, meant: noteMeant }),
    run: async (asked: SchemaOutput<typeof inboxNoteInput>, context) => {
      const not = (why: string) => ({ text: `Nothing was forgotten: ${why}`, failed: true as const });
      try {
        const found = await findNote(context, asked, { inbox });
        if ("refusal" in found) return not(found.refusal);
        await context.store.memory.forget(found.scope, found.note.id);
        return `The note “${found.named}” is forgotten.`;
      } catch (error) {
        return not(preview(reasonOf(error), 300));
      }
    },
  });
}
