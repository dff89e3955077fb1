import type { ZodOptional, ZodString } from "zod";
import type { Scope } from "../../amend/amendment.ts";
import { preview } from "../../prompt/character.ts";
import type { Note } from "../../store/memory/note.ts";
import type { SchemaOutput } from "../standard-schema.ts";
import { type ToolContext, type ToolInput, toolInput } from "../tool.ts";
import { meantSentence } from "./id-text.ts";
import { noteScope } from "./note-scope.ts";

type NoteFields = { readonly key: ZodOptional<ZodString>; readonly id: ZodOptional<ZodString> };

/** How a tool is told which note is meant. */
export const noteInput: ToolInput<NoteFields> = toolInput((z) => ({
  key: z.string().optional().describe("The note's name."),
  id: z.string().optional().describe("Its id, where it has no name."),
}));

type InboxNoteFields = NoteFields & { readonly message: ZodOptional<ZodString> };
export const inboxNoteInput: ToolInput<InboxNoteFields> = toolInput((z) => ({
  ...noteInput.fields(z),
  message: z.string().optional().describe("In a turn with messages of several senders: the one whose sender's it is."),
}));

/** Which note it is, by its words: of an id nobody knows. */
export async function noteMeant(asked: unknown, context: ToolContext): Promise<string | undefined> {
  const found = await findNote(context, await noteInput.parse(asked), { inbox: false });
  return "refusal" in found ? undefined : meantSentence("note", found.note.text);
}

type FoundNote = { readonly scope: Scope; readonly note: Note; readonly named: string } | { readonly refusal: string };

/**
 * The note that is meant, among those of the turn's own user or sender, or the agent's own in its own turns. `inbox`:
 * nobody is asked there, so while others' words are in the turn, only notes that came of such words are touched.
 */
export async function findNote(
  context: ToolContext,
  { key: given = "", id: numbered = "", message }: SchemaOutput<typeof inboxNoteInput>,
  { inbox }: { readonly inbox: boolean },
): Promise<FoundNote> {
  const [key, id] = [given.trim(), numbered.trim()];
  if ((key === "") === (id === "")) return { refusal: "give either the note's key or its id." };
  const whose = await noteScope(context, message);
  if ("refusal" in whose) return whose;
  const { scope } = whose;
  const named = preview(key === "" ? id : key, 200);
  const note = await context.store.memory.find(scope, key === "" ? { id } : { key });
  if (!note) return { refusal: `there is no note “${named}” here.` };
  if (inbox && context.tainted && !note.tainted)
    return { refusal: `others' words are in this turn, and “${named}” was written without any: it stays as it is.` };
  return { scope, note, named };
}
