import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { heldOut, maySay, says } from "./held-out.ts";
import { paragraphsOf, type ReadText, textsOf } from "./read-text.ts";

/**
 * What people read is plain: labels, help, errors, the API's descriptions and the docs say none of what held-out.ts lists.
 * What a model reads is not theirs to judge: the fixed text of the charters, the descriptions of tools.
 */

const root = resolve(import.meta.dirname, "../../..");
const filesIn = (folder: string, kind: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => kind.test(file) && !/\.test\.tsx?$/.test(file))
    .map((file) => `${folder}/${file}`)
    .sort();

/** Written for the model, or told apart by it; only what a Problem says of them is for people. */
const forModels = [
  /^charter\/src\/charters\/\w+\//,
  /^charter\/src\/agent\/(?:tools|workspace)\//,
  /^charter\/src\/amend\/override\//,
  /^charter\/src\/channels\/automaton\/message-input\.ts$/,
];

const notForReaders = new Set(["docs/glossary.md"]);
const pages = ["README.md", ...filesIn("docs", /^[^/]+\.md$/)].filter((page) => !notForReaders.has(page));
const sources = [...filesIn("studio/src", /\.tsx?$/), ...filesIn("charter/src", /\.ts$/)];

/** Each held-out wording in some texts: where it is, the sentence, and what to say instead. */
function objectionsTo(file: string, texts: readonly ReadText[]): string[] {
  const suspect = texts.filter(({ text }) => says(text));
  return suspect.flatMap(({ line, text }) =>
    heldOut.flatMap(({ pattern, plain }) =>
      [...text.matchAll(pattern)].map(({ index, 0: words }) => {
        const before = text.slice(0, index);
        const at = line + (before.match(/\n/g)?.length ?? 0);
        return `${file}:${at}: “${words.replaceAll(/\s+/g, " ")}” in “${sentenceAt(text, index)}”; say: ${plain}`;
      }),
    ),
  );
}

/** The sentence around a place, on one line. */
function sentenceAt(text: string, place: number): string {
  const start = Math.max(0, ...[...text.slice(0, place).matchAll(/[.!?]\s/g)].map(({ index }) => index + 2));
  const rest = text.slice(place).search(/[.!?](?:\s|$)/);
  const sentence = text.slice(start, rest < 0 ? undefined : place + rest + 1);
  return sentence.replaceAll(/\s+/g, " ").trim().slice(0, 200);
}

test.each([
  ["the studio", sources.filter((file) => file.startsWith("studio/"))],
  ["the API, the command and every Problem", sources.filter((file) => file.startsWith("charter/"))],
])("%s says nothing that has to be decoded", (_, files) => {
  const found = files.flatMap((file) => {
    const source = readFileSync(join(root, file), "utf8");
    if (!maySay(source)) return [];
    const problems = forModels.some((one) => one.test(file));
    return objectionsTo(file, textsOf(file, source, { problems }));
  });
  expect(found).toEqual([]);
});

test("the docs say nothing that has to be decoded", () => {
  const found = pages.flatMap((page) => objectionsTo(page, paragraphsOf(readFileSync(join(root, page), "utf8"))));
  expect(found).toEqual([]);
});

test("an objection names file, line, sentence and the plain word; comments, types and modules are not read", () => {
  const source = `
import { born } from "./born.ts";
// Words that were born afresh.
type Kind = "born";
export const Label = () => (
  <p title="Whose copy">
    Kept. Some
    of it gave
    way.
  </p>
);
export const told = (name: string) => \`“\${name}” is born. It stays.\`;
export const long = "It will be told in " + "the history.";
`;
  expect(objectionsTo("label.tsx", textsOf("label.tsx", source))).toEqual([
    "label.tsx:6: “Whose copy” in “Whose copy”; say: the user",
    "label.tsx:8: “gave way” in “Some of it gave way.”; say: trimmed, trimmed to fit",
    "label.tsx:12: “born” in ““…” is born.”; say: the original text; initially empty",
    "label.tsx:13: “told in the history” in “It will be told in the history.”; say: sent as an update",
  ]);
});

test("where a file speaks to models, only its Problems are read", () => {
  const source = `
export const tool = "Changes it for good.";
throw new Problem("bad-word", \`“\${tool}” is born.\`, "Say it again.");
`;
  expect(textsOf("tool.ts", source, { problems: true })).toEqual([
    { line: 3, text: "bad-word" },
    { line: 3, text: "“…” is born." },
    { line: 3, text: "Say it again." },
  ]);
});

test("a page is read by paragraphs, so that a phrase may go over a line, and without its code", () => {
  const page = ["# Title", "It gives", "way to `born` others.", "", "- one", "- two", "```", "$ born", "```"].join(
    "\n",
  );
  expect(objectionsTo("page.md", paragraphsOf(page))).toEqual([
    "page.md:2: “gives way” in “It gives way to … others.”; say: trimmed, trimmed to fit",
    "page.md:8: “born” in “$ born”; say: the original text; initially empty",
  ]);
});

test.each([
  "gave way",
  "by every hand",
  "nobody changes it",
  "made afresh",
  "the words it was born with",
  "The words that stand",
  "Stood then",
  "Would stand",
  "foreign words",
  "the cache broke",
  "told in the history",
  "The tail",
  "Whose copy",
  "Of which user",
  "For whom",
  "nobody in particular",
  "Say it again",
  "Not now",
  "Not yet",
  "Leave it as it is",
  "Gone for good",
  "Comes no more?",
  "Again and again",
  "Nothing comes by itself",
  "will come",
  "Set up",
  "Receiver",
  "It said: hello",
  "Took",
  "Began",
  "What became of them",
  "is empty just now: it was read",
  "The guards: Accepted.",
  "Words",
  "Told after the history",
  "Held",
])("“%s” is held out", (words) => {
  expect(objectionsTo("fixture.ts", [{ line: 1, text: words }])).not.toEqual([]);
});

test.each([
  "A script stands in for a model.",
  "A stand-in answers.",
  "“*” stands for any letters.",
  "Not yet published",
  "Set up a bot",
  "It understands standing orders.",
  "The window is the most tokens a request may have.",
  "Notes are found by their words.",
])("“%s” is not", (words) => {
  expect(objectionsTo("fixture.ts", [{ line: 1, text: words }])).toEqual([]);
});
