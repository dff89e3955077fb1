import { z } from "zod";
import type { Scope } from "../../amend/amendment.ts";
import { preview } from "../../prompt/character.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import { defineTool, type Tool } from "../tool.ts";
import { noteScope } from "./note-scope.ts";

const input = z.object({
  key: z.string().optional().describe("The note's name."),
  id: z.string().optional().describe("Its id, where it has no name."),
  message: z.string().optional().describe("In a turn with messages of several senders: the one whose sender's it is."),
});

/** Tool: the agent deletes one of its notes. Only those of the turn's own user or sender, or its own in its own turns. */
export function forgetMemory(): Tool {
  return defineTool({
    name: "forget_memory",
    input,
    summary: "Delete a note from long-term memory",
    description:
      "Deletes a note, by its key or its id, for good. In a turn with somebody, only notes about them; in a turn of your own, only your own.",
    run: async ({ key: named = "", id: numbered = "", message }, context) => {
      const [key, id] = [named.trim(), numbered.trim()];
      const not = (why: string) => ({ text: `Nothing was forgotten: ${why}`, failed: true as const });
      if ((key === "") === (id === "")) return not("give either the note's key or its id.");
      try {
        const whose = await noteScope(context, message);
        if ("refusal" in whose) return not(whose.refusal);
        const found = id === "" ? await idUnder(context.store, whose.scope, key) : id;
        if (found === undefined) return not(`there is no note “${preview(key, 200)}” here.`);
        await context.store.memory.forget(whose.scope, found);
        return `The note “${preview(key === "" ? id : key, 200)}” is forgotten.`;
      } catch (error) {
        if (error instanceof Problem && error.code === "unknown-note")
          return not(`there is no note “${preview(id, 200)}” here.`);
        return not(preview(reasonOf(error), 300));
      }
    },
  });
}

const page = 1000;

async function idUnder({ memory }: Store, scope: Scope, key: string): Promise<string | undefined> {
  for (let offset = 0; ; offset += page) {
    const notes = await memory.list(scope, { limit: page, offset });
    const found = notes.find((note) => note.key === key);
    if (found || notes.length < page) return found?.id;
  }
}
