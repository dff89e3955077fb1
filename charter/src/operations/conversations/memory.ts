import { defined } from "../../prompt/argument.ts";
import { counted } from "../../prompt/problem.ts";
import { checkControlTokens } from "../../prompt/sound.ts";
import { readPage } from "../../store/home/query.ts";
import type { FoundNotes } from "../../store/memory/memory.ts";
import type { Note } from "../../store/memory/note.ts";
import { actingScopeFor, agentScopeFor, userNamed } from "../caller.ts";
import { agent, counterpart, flag, list, more, object, oneOf, page, scope, text, time, user, whose } from "../field.ts";
import { type OperationContext, operation } from "../operation.ts";
import { colours, columns, timeText } from "../print/columns.ts";
import { hintsHere } from "../print/command-name.ts";

const words = text().example("Bo's sister is called Ida.");
const key = text("A fact's name, where it has one: saving it again replaces it.");

const noteFields = {
  id: text().told(),
  scope: scope.told(),
  key: key.told().nullable(),
  text: words.told(),
  tainted: flag("It was written in a turn that contained untrusted text.").told(),
  turn: text().told().nullable(),
  at: time().told(),
};
const note = object(noteFields).named("Note", "What an agent keeps outside the prompt.");

const ownerFields = { agent, user: whose, counterpart };
const id = text("The id of a note.");

const ways: Readonly<Record<FoundNotes["by"], string>> = {
  "all-words": "found by all the words",
  "any-word": "no note has all the words; these have some of them",
  substring: "no note has these words; these have them inside others",
  similar: "no note has these words; these have words like them",
  meaning: "no note has these words; these mean something like them",
};

const listNotes = operation({
  name: "memory.list",
  says: "List or search an agent's notes",
  about: "Newest first; best first in a search.",
  route: "GET /agents/{agent}/memory",
  command: "memory [search] <query...?>",
  examples: [
    ["charter memory --agent ada --user bo", "newest first"],
    [
      "charter memory --agent ada --user bo green tea",
      'best match first; "quoted words" stay together, -word excludes',
    ],
    ["charter memory search --agent ada add", "to search for add, update, forget, vouch or search"],
  ],
  notes:
    "Search works in any language and script. If no note has the words, they are searched for inside other words.\nExit code 1: nothing found.",
  who: "person",
  tool: true,
  input: {
    ...ownerFields,
    query: text('Words to search for: "quoted words" stay together, -word excludes. The first 64 count.')
      .example("sister")
      .optional(),
    note: text("Only the note of this id, or else of this key.").option("id|key").optional(),
    ...page,
  },
  answer: object({
    notes: list(note).told(),
    by: oneOf(Object.keys(ways) as FoundNotes["by"][], "How a search found them.")
      .told()
      .optional(),
    more,
  }).named("NoteList", "Newest first, or best first in a search."),
  run: async (context, { agent, query = "", note: wantedNote, limit, offset, ...named }) => {
    const { memory } = context.store;
    const scope = await agentScopeFor(context, agent, userNamed(named));
    if (wantedNote !== undefined) {
      const oneNote = (await memory.find(scope, { id: wantedNote })) ?? (await memory.find(scope, { key: wantedNote }));
      return { notes: oneNote ? [oneNote] : [], more: false };
    }
    let by: FoundNotes["by"] | undefined;
    const read = async (one: typeof page): Promise<readonly Note[]> => {
      if (query === "") return memory.list(scope, one);
      const matches = await memory.search(scope, query, one);
      by ??= matches.by;
      return matches.notes;
    };
    const page = { limit, offset };
    const { rows, more } = await readPage(read, page);
    return { notes: rows, ...defined({ by }), more };
  },
  lines: ({ notes, by }, { agent, query = "", note: wantedNote = query, ...named }) => {
    const user = userNamed(named);
    const owner = user === undefined ? `“${agent}”` : `“${agent}”, for “${user}”,`;
    const about = wantedNote === "" ? "" : ` about “${wantedNote}”`;
    if (notes.length === 0) return { out: [`${owner} remembers nothing${about}.`], code: wantedNote === "" ? 0 : 1 };
    const names = ["note", "time (UTC)", "key", "words are", "words"];
    const cells = notes.map(({ id, at, key, tainted, text }) => {
      return [id, timeText(at), key ?? "–", tainted ? "foreign" : "own", text];
    });
    return [
      ...(by === undefined ? [] : [colours(process.stdout).dim(ways[by])]),
      ...columns(names, cells, process.stdout),
    ];
  },
});

const addNote = operation({
  name: "memory.add",
  says: "Add a note",
  route: "POST /agents/{agent}/memory",
  command: "memory add <text...>",
  examples: ['charter memory add --agent ada --user bo "Bo likes green tea."'],
  example: { text: "Bo's sister is called Ida.", user: "bo" },
  who: "person",
  input: { ...ownerFields, text: words.says("The words of the note."), key: key.option("name").optional() },
  answer: note,
  statuses: { 201: "The note." },
  run: async (context, { text, key, ...named }) => {
    const scope = await writingScope(context, named, text);
    return context.store.memory.save(scope, { text, ...defined({ key }) });
  },
  lines: ({ id }) => [`Saved as ${id}.`],
});

const changeNote = operation({
  name: "memory.update",
  says: "Change a note",
  about: "Replaces the note's text. It keeps its id and key, and becomes the newest.",
  route: "PATCH /agents/{agent}/memory/{id}",
  command: "memory update <id> <text...>",
  examples: ['charter memory update --agent ada --user bo <id> "Bo likes black tea."'],
  example: { text: "Bo's sister is called Ada.", user: "bo" },
  who: "person",
  input: { ...ownerFields, id, text: words.says("The new words of the note.") },
  answer: note,
  statuses: { 200: "The changed note." },
  run: async (context, { id, text, ...named }) =>
    context.store.memory.update(await writingScope(context, named, text), id, { text }),
  lines: ({ id }) => [`“${id}” is changed.`],
});

const forgetNote = operation({
  name: "memory.forget",
  says: "Delete a note",
  route: "DELETE /agents/{agent}/memory/{id}",
  command: "memory forget <id>",
  examples: ["charter memory forget --agent ada --user bo <id>"],
  who: "person",
  input: { ...ownerFields, id },
  answer: object({ forgotten: text().told() }).named("ForgetResult"),
  statuses: { 200: "The note was deleted." },
  run: async (context, { agent, id, ...named }) => {
    await context.store.memory.forget(await agentScopeFor(context, agent, userNamed(named)), id);
    return { forgotten: id };
  },
  lines: ({ forgotten }) => [`“${forgotten}” is forgotten.`],
});

const vouch = operation({
  name: "memory.vouch",
  says: "Vouch for imported notes",
  about:
    "Notes that were imported are foreign. With this they are own words, and an event says so; with `undo` they are foreign again. What the override screen flags, or hides characters, stays foreign.",
  route: "POST /agents/{agent}/memory/vouch",
  command: "memory vouch",
  examples: [
    [
      "charter memory vouch --agent ada [--user bo]",
      "imported notes, of one user or of all, are own words from now on",
    ],
    ["charter memory vouch --undo --agent ada", "they are foreign again"],
  ],
  example: { user: "bo" },
  notes:
    "Vouching is recorded as an event. What the override screen flags, or hides characters, stays foreign and is listed.",
  who: "operator",
  input: {
    ...ownerFields,
    user: user.says("Only this user's; left out, those of all users."),
    undo: flag("They are foreign again.").optional(),
    by: text("Who says so.").option("name").only("command").usual("operator"),
  },
  answer: object({
    notes: list(note, "The notes that are own words now, or foreign again."),
    flagged: list(
      object({ ...noteFields, because: text() }),
      "What the override screen flags, or has hidden characters: it stays foreign.",
    ),
  }).named("VouchResult"),
  statuses: { 200: "The outcome." },
  run: async (context, { agent, undo, by = "operator", ...named }) => {
    const { memory } = context.store;
    const about = { ...(await agentScopeFor(context, agent, userNamed(named))), by };
    return undo ? { ...(await memory.disown(about)), flagged: [] } : memory.vouch(about);
  },
  lines: ({ notes, flagged }, { agent, undo, ...named }) => {
    if (undo) return [`${notesOfUsers(notes)} foreign again.`];
    const user = userNamed(named);
    const undoing = `To undo it: charter memory vouch --undo --agent ${agent}${user === undefined ? "" : ` --user ${user}`}`;
    const cells = flagged.map(({ id, scope, because, text }) => [id, scope.user ?? "", because, text]);
    return [
      `${notesOfUsers(notes)} own words now.`,
      ...(flagged.length === 0 ? [] : [`${notesOfUsers(flagged)} still foreign:`]),
      ...(flagged.length === 0 ? [] : columns(["note", "user", "why", "words"], cells, process.stdout)),
      ...(notes.length === 0 ? [] : [hintsHere(undoing)]),
    ];
  },
});

/** Scope of the notes to write. Refuses a user's text that a model could take for the end of a message. */
async function writingScope(
  context: OperationContext,
  {
    agent,
    ...named
  }: { readonly agent: string; readonly user?: string | undefined; readonly counterpart?: string | undefined },
  text: string,
) {
  const find = named.counterpart === undefined ? actingScopeFor : agentScopeFor;
  const scope = await find(context, agent, userNamed(named));
  if (context.caller.kind !== "operator") checkControlTokens("The note", text);
  return scope;
}

function notesOfUsers(notes: readonly Pick<(typeof note)["holds"], "scope">[]): string {
  const users = new Set(notes.map(({ scope }) => scope.user)).size;
  const of = users === 0 ? "" : ` of ${counted(users, "user")}`;
  return `${counted(notes.length, "imported note")}${of} ${notes.length === 1 ? "is" : "are"}`;
}

export const operations = [listNotes, addNote, changeNote, forgetNote, vouch];
