import { checkNames } from "../../prompt/argument.ts";
import { preview } from "../../prompt/character.ts";
import { checkControlTokens } from "../../prompt/control-token.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { SchemaOutput } from "../standard-schema.ts";
import { defineTool, type Tool, toolInput } from "../tool.ts";
import { noteScope } from "./note-scope.ts";
import { noteWords } from "./note-words.ts";

const input = toolInput((z) => ({
  content: z
    .string()
    .describe(
      "What to remember: the user's own whole sentences, unchanged, where they can be understood on their own.",
    ),
  key: z.string().optional().describe("A short name. Saving under the same name again replaces the note."),
}));

const inboxInput = toolInput((z) => ({
  ...input.fields(z),
  message: z.string().optional().describe("In a turn with messages of several senders: the message it comes from."),
}));

/**
 * Tool: the agent saves a note for later turns. Notes saved while untrusted text is in the turn stay untrusted, but for
 * the user's own sentences, unchanged. `inbox`: for agents with an inbox; with messages of several senders in a turn, the model says whose note it is.
 */
export function saveMemory(options: { readonly inbox?: boolean } = {}): Tool {
  checkNames<typeof options>("saveMemory", options, ["inbox"]);
  const { inbox = false } = options;
  return defineTool({
    name: "save_memory",
    input: inbox ? inboxInput : input,
    summary: "Save something to long-term memory",
    description:
      "Saves a note to your long-term memory, to be found by read_memory in later conversations. With a key, a note of the same name is replaced.",
    guidelines: ["Call save_memory at once when the user tells you something to remember; save no secrets"],
    run: async ({ content, key: named = "", message }: SchemaOutput<typeof inboxInput>, context) => {
      const { store, turn, tainted } = context;
      const key = named.trim();
      try {
        checkControlTokens("The note", `${key} ${content}`);
        const whose = await noteScope(context, message);
        if ("refusal" in whose) return { text: `Not saved: ${whose.refusal}`, failed: true };
        // Others' words replace no note that was written without them: whoever sent them would have deleted it.
        const before = tainted && key !== "" ? await store.memory.find(whose.scope, { key }) : undefined;
        if (before && !before.tainted) return { text: `Not saved: ${takenKey(key)}`, failed: true };
        const named = key === "" ? {} : { key };
        const words = noteWords(context, { note: content, ...named });
        const note = await store.memory.save(whose.scope, { text: content, tainted: words.foreign, turn, ...named });
        const under = key === "" ? "" : ` under “${preview(key, 200)}”; a note that stood there before is replaced`;
        return { text: `Saved as note ${note.id}${under}.${words.told}`, ...words.noticeOf(note.id) };
      } catch (error) {
        const hint = error instanceof Problem ? ` ${error.hint}` : "";
        return { text: `Not saved: ${preview(reasonOf(error), 300)}${hint}`, failed: true };
      }
    },
  });
}

function takenKey(key: string): string {
  return `others' words are in this turn, and the note “${preview(key, 200)}” was written without any. Save it under another key, or without one.`;
}
