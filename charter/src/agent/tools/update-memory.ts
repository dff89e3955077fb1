import { preview } from "../../prompt/character.ts";
import { checkControlTokens } from "../../prompt/control-token.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { SchemaOutput } from "../standard-schema.ts";
import { defineTool, type Tool, toolInput } from "../tool.ts";
import { findNote, inboxNoteInput, noteInput, noteMeant } from "./find-note.ts";
import { noteWords } from "./note-words.ts";

const contentSays = "The whole note as it should be from now on.";
const input = toolInput((z) => ({ ...noteInput.fields(z), content: z.string().describe(contentSays) }));
const inboxInput = toolInput((z) => ({ ...inboxNoteInput.fields(z), content: z.string().describe(contentSays) }));

/**
 * Tool: the agent gives one of its notes other words. Guarded like `forgetMemory`: the words that were there are gone.
 * Words that are given while untrusted text is in the turn stay untrusted, but for the user's own sentences, unchanged.
 */
export function updateMemory({ inbox = false }: { readonly inbox?: boolean } = {}): Tool {
  return defineTool({
    name: "update_memory",
    input: inbox ? inboxInput : input,
    summary: "Correct a note in long-term memory",
    description: "Replaces the words of a note, by its key or its id. read_memory tells both.",
    guidelines: ["When something you remember is wrong or no longer wanted, call update_memory or forget_memory"],
    ...(inbox ? {} : { sensitive: true, meant: noteMeant }),
    run: async ({ content: text, ...asked }: SchemaOutput<typeof inboxInput>, context) => {
      const not = (why: string) => ({ text: `Nothing was changed: ${why}`, failed: true as const });
      const { store, turn } = context;
      try {
        checkControlTokens("The note", text);
        const found = await findNote(context, asked, { inbox });
        if ("refusal" in found) return not(found.refusal);
        const { id, key } = found.note;
        const words = noteWords(context, { note: text, ...(key === null ? {} : { key }) });
        await store.memory.update(found.scope, id, { text, tainted: words.foreign, turn });
        return { text: `The note “${found.named}” is changed.${words.told}`, ...words.noticeOf(id) };
      } catch (error) {
        const hint = error instanceof Problem ? ` ${error.hint}` : "";
        return not(`${preview(reasonOf(error), 300)}${hint}`);
      }
    },
  });
}
