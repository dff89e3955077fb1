import type { Scope } from "../../../amend/amendment.ts";
import { counted, Problem } from "../../../prompt/problem.ts";
import type { FoundNotes } from "../../../store/memory/memory.ts";
import type { Note } from "../../../store/memory/note.ts";
import type { VouchResult } from "../../../store/memory/vouch.ts";
import type { Store } from "../../../store/store.ts";
import { colours } from "../../print/colour.ts";
import { columns, timeText } from "../../print/columns.ts";
import { counterpartOptions, userOption } from "../../shared/counterpart-options.ts";
import { noMoreWords, parseOptions, requiredOption } from "../../shared/options.ts";
import { type ListPage, morePages, pageOptions, pageValues, readPage } from "../../shared/page.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

const options = {
  ...storeOptions,
  ...pageOptions,
  agent: { type: "string", short: "a" },
  ...counterpartOptions,
  key: { type: "string" },
  undo: { type: "boolean" },
  by: { type: "string" },
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("memory", args, options);
  const agent = requiredOption("memory", "agent", values.agent);
  const user = userOption(values);
  const scope: Scope = { agent, ...(user === undefined ? {} : { user }) };
  const [verb, ...words] = positionals;
  if (values.key !== undefined && verb !== "add")
    throw new Problem("usage", "Only a note that is added takes --key.", "Say charter memory add --key …");
  if ((values.undo || values.by !== undefined) && verb !== "vouch")
    throw new Problem("usage", "Only vouching takes --undo and --by.", "Say charter memory vouch --undo …");
  return withStore(values, async (store) => {
    await store.agents.get(agent);
    if (verb === "vouch") return vouch(store, scope, words, values);
    if (verb === "add") return add(store, scope, words.join(" "), values);
    if (verb === "update") return update(store, scope, words, values);
    if (verb === "forget") return forget(store, scope, words, values);
    return look(store, scope, (verb === "search" ? words : positionals).join(" "), values);
  });
}

async function add(store: Store, scope: Scope, text: string, { key, json }: Values): Promise<number> {
  const note = await store.memory.save(scope, { text, ...(key === undefined ? {} : { key }) });
  process.stdout.write(`${json ? JSON.stringify(note) : `Saved as ${note.id}.`}\n`);
  return 0;
}

async function update(store: Store, scope: Scope, words: readonly string[], { json }: Values): Promise<number> {
  const [id, ...text] = words;
  if (id === undefined || text.length === 0)
    throw new Problem(
      "usage",
      "charter memory update needs the id of a note and its new words.",
      "See the notes with `charter memory`.",
    );
  const note = await store.memory.update(scope, id, { text: text.join(" ") });
  process.stdout.write(`${json ? JSON.stringify(note) : `“${id}” is changed.`}\n`);
  return 0;
}

async function forget(store: Store, scope: Scope, ids: readonly string[], { json }: Values): Promise<number> {
  const [id, ...others] = ids;
  noMoreWords("memory forget", others);
  if (id === undefined)
    throw new Problem("usage", "charter memory forget needs the id of a note.", "See the notes with `charter memory`.");
  await store.memory.forget(scope, id);
  process.stdout.write(`${json ? JSON.stringify({ forgotten: id }) : `“${id}” is forgotten.`}\n`);
  return 0;
}

/** Without a user, for the imported notes of all of them: an agent's own notes were not imported. */
async function vouch(store: Store, scope: Scope, words: readonly string[], values: Values): Promise<number> {
  noMoreWords("memory vouch", words);
  const about = { ...scope, by: values.by || "operator" };
  if (values.undo) {
    const result = await store.memory.disown(about);
    const many = notesOfUsers(result.notes);
    process.stdout.write(`${values.json ? JSON.stringify(result) : `${many} foreign again.`}\n`);
    return 0;
  }
  const { notes, flagged } = await store.memory.vouch(about);
  const undo = notes.length === 0 ? [] : [`To undo it: charter memory vouch --undo ${scopeWords(scope)}`];
  const stay = flagged.length === 0 ? [] : [`${notesOfUsers(flagged)} still foreign:`, ...flaggedLines(flagged)];
  const lines = [`${notesOfUsers(notes)} own words now.`, ...stay, ...undo];
  process.stdout.write(`${values.json ? JSON.stringify({ notes, flagged }) : lines.join("\n")}\n`);
  return 0;
}

function notesOfUsers(notes: readonly Note[]): string {
  const users = new Set(notes.map(({ scope }) => scope.user)).size;
  const of = users === 0 ? "" : ` of ${counted(users, "user")}`;
  return `${counted(notes.length, "imported note")}${of} ${notes.length === 1 ? "is" : "are"}`;
}

function scopeWords({ agent, user }: Scope): string {
  return `--agent ${agent}${user === undefined ? "" : ` --user ${user}`}`;
}

function flaggedLines(flagged: VouchResult["flagged"]): string[] {
  const cells = flagged.map(({ id, scope, because, text }) => [id, scope.user ?? "", because, text]);
  return columns(["note", "user", "why", "words"], cells, process.stdout);
}

const ways: Readonly<Record<FoundNotes["by"], string>> = {
  "all-words": "found by all the words",
  "any-word": "no note has all the words; these have some of them",
  substring: "no note has these words; these have them inside others",
  similar: "no note has these words; these have words like them",
  meaning: "no note has these words; these mean something like them",
};

async function look(store: Store, scope: Scope, query: string, values: Values): Promise<number> {
  const page = pageValues(values);
  let by: FoundNotes["by"] | undefined;
  const read = async (asked: ListPage): Promise<readonly Note[]> => {
    if (query === "") return store.memory.list(scope, asked);
    const found = await store.memory.search(scope, query, asked);
    by ??= found.by;
    return found.notes;
  };
  const { rows, more } = await readPage(read, page);
  const missing = rows.length === 0 && query !== "";
  if (values.json) process.stdout.write(`${JSON.stringify({ notes: rows, ...(by ? { by } : {}), more })}\n`);
  else process.stdout.write(`${[...lines(rows, scope, query, by), ...morePages(more, page)].join("\n")}\n`);
  return missing ? 1 : 0;
}

function lines(notes: readonly Note[], scope: Scope, query: string, by: FoundNotes["by"] | undefined): string[] {
  const whose = scope.user === undefined ? `“${scope.agent}”` : `“${scope.agent}”, for “${scope.user}”,`;
  if (notes.length === 0)
    return [query === "" ? `${whose} remembers nothing.` : `${whose} remembers nothing about “${query}”.`];
  const cells = notes.map(({ id, at, key, tainted, text }) => [
    id,
    timeText(at),
    key ?? "–",
    tainted ? "foreign" : "own",
    text,
  ]);
  const table = columns(["note", "time (UTC)", "key", "words are", "words"], cells, process.stdout);
  return [...(by === undefined ? [] : [colours(process.stdout).dim(ways[by])]), ...table];
}
