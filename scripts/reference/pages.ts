import { join } from "node:path";
import { type Declaration, declarationOf } from "./declaration.ts";
import { type Door, type DoorExport, doorsOf, exportsOf } from "./door.ts";
import { firstNames } from "./first-name.ts";
import { chapterOf, chapterTitles, introductionOf } from "./introduction.ts";
import { pageFor } from "./subject.ts";

/** An export with its declaration, and where the reference has it. */
export type Entry = DoorExport &
  Declaration & { readonly door: string; readonly page: string; readonly anchor: string };

/** The reference: its pages by their path in docs/reference, and everything that stands in them. */
export type Reference = { readonly pages: ReadonlyMap<string, string>; readonly entries: readonly Entry[] };

/** Makes the reference of the package in a folder, from its doors and their comments alone. */
export function referenceOf(folder: string): Reference {
  const doors = doorsOf(folder);
  const given = new Set(doors.flatMap(({ file }) => exportsOf(file)).map(({ name }) => name));
  const faults: string[] = [];
  const entries = doors.flatMap((door) => entriesOf(door, (name) => given.has(name), faults));
  if (faults.length > 0) throw new Error(faults.join("\n"));
  const source = join(folder, "src");
  const pages = doors.map((door): [string, string] => [pageName(door), doorPage(door, entries, source)]);
  return {
    pages: new Map([["README.md", indexPage(doors, entries, firstNames(join(folder, "..")))], ...pages]),
    entries,
  };
}

function pageName({ name }: Door): string {
  return `${name.split("/").at(-1)}.md`;
}

/** Values first: headings in this order have the anchors that are worked out here. */
function entriesOf(door: Door, isPublic: (name: string) => boolean, faults: string[]): Entry[] {
  const declared = exportsOf(door.file).flatMap((found) => {
    try {
      return [{ ...found, ...declarationOf(found.file, found.declared, isPublic) }];
    } catch (error) {
      faults.push((error as Error).message);
      return [];
    }
  });
  const ordered = [...declared.filter(isValue), ...declared.filter((one) => !isValue(one))];
  const taken = new Map<string, number>();
  return ordered.map((one) => {
    const slug = one.name.toLowerCase();
    const times = taken.get(slug) ?? 0;
    taken.set(slug, times + 1);
    return { ...one, door: door.name, page: pageName(door), anchor: times === 0 ? slug : `${slug}-${times}` };
  });
}

function isValue({ kind }: Declaration): boolean {
  return kind !== "type";
}

const notice =
  "<!-- Written by `npm run reference` from the comments in the source. Change those, and run it again. -->";

function indexPage(doors: readonly Door[], entries: readonly Entry[], first: readonly string[]): string {
  const link = ({ name, page, anchor }: Entry) => `[${name}](${page}#${anchor})`;
  const rows = first.flatMap((name) => {
    const entry = entries.find((one) => one.name === name);
    return entry ? [`| ${link(entry)} | \`${entry.door}\` | ${firstSentence(entry.comment)} |`] : [];
  });
  const chapters = chapterTitles.map((title) => {
    const own = doors.filter(({ name }) => chapterOf(name) === title);
    const texts = own.map((door) => {
      const links = entries.filter((entry) => entry.door === door.name).map(link);
      return `### [\`${door.name}\`](${pageName(door)})\n\n${introductionOf(door.name)}\n\n${links.join(" · ")}\n`;
    });
    return `## ${title}\n\n${texts.join("\n")}`;
  });
  return `${notice}

# Reference

Every export of every entry point of the package, with what it is for. Fields and arrays are all \`readonly\`; the word is
left out here. The words are those of the [glossary](../glossary.md).

## The names that most programs need

Those that several pages and examples import.

| name | from | |
|---|---|---|
${rows.join("\n")}

${chapters.join("\n")}`;
}

/** Of a comment, on one line of a table. */
function firstSentence(comment: string): string {
  const line = comment.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
  return /^.*?[.!?](?= [A-Z“`]|$)/.exec(line)?.[0] ?? line;
}

function doorPage(door: Door, entries: readonly Entry[], source: string): string {
  const own = entries.filter((entry) => entry.door === door.name);
  const chapter = (title: string, some: readonly Entry[]) =>
    some.length === 0 ? [] : [`## ${title}\n\n${some.map((entry) => entryText(entry, entries, source)).join("\n")}`];
  return [
    `${notice}\n\n# \`${door.name}\`\n\n${introductionOf(door.name)}\n`,
    ...chapter("Values", own.filter(isValue)),
    ...chapter(
      "Types",
      own.filter((entry) => !isValue(entry)),
    ),
  ].join("\n");
}

function entryText(entry: Entry, entries: readonly Entry[], source: string): string {
  const comment = linked(entry, entries);
  const page = pageFor(entry.file, source);
  const isLinked = page === undefined || comment.includes(`](../${page})`);
  const more = isLinked ? "" : ` ([${page.replace(".md", "").replaceAll("-", " ")}](../${page}))`;
  const examples = entry.examples.map((example) => `\n${example}\n`).join("");
  return `### ${entry.name}\n\n${comment}${more}\n\n\`\`\`ts\n${entry.signature}\n\`\`\`\n${examples}`;
}

/** The comment, in which names of other exports and pages of the documentation are links. */
function linked({ name, comment }: Entry, entries: readonly Entry[]): string {
  return comment
    .replaceAll(/`(\w+)`/g, (written, other: string) => {
      const found = other === name ? undefined : entries.find((entry) => entry.name === other);
      return found ? `[${written}](${found.page}#${found.anchor})` : written;
    })
    .replaceAll(/\bdocs\/([\w-]+)\.md\b/g, "[$1](../$1.md)");
}
