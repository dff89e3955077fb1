import fc from "fast-check";
import { expect, test } from "vitest";
import { bodiesOf, updateWords } from "../../src/delivery/baseline.ts";
import { partsIn, toldWords } from "../../src/delivery/change.ts";
import { withChange } from "../../src/delivery/stand-in-view.ts";
import { assemble, defineCharter, type Part, type Trust } from "../../src/index.ts";
import { anyLineEnd } from "../../src/prompt/character.ts";
import { planOf } from "../../src/prompt/plan.ts";
import type { SectionText } from "../../src/prompt/receipt.ts";
import { runs } from "../tiers/search.ts";
import { always, hostile, lineEnds } from "./generate.ts";

// A section of several parts, changed from one turn to the next.

const separators = ["\n", "\n\n", "\n\n---\n\n", " ", ""] as const;

function charterOf(trust: Trust, separator: string) {
  const section = { name: "files", heading: "# Files\n\nThese are yours:\n", sources: [], separator, trust };
  return defineCharter({ name: "changing", layers: [{ name: "files", mutability: "live", sections: [section] }] });
}

/** Few different lines, so that they repeat; some pass for words of delivery, some for its marks. */
const line = fc.oneof(
  fc.constantFrom("", "a", "b", "- Use npm.", "  indented", "| a", "|", "> quoted", "x".repeat(80)),
  fc.constantFrom(
    'Line 1 ("a") is gone.',
    "Your prompt has changed in “files”:",
    '"/a/AGENTS.md" is gone.',
    "```",
    "…",
  ),
  hostile,
);
const lines = fc.array(line, { maxLength: 40 });
const text = fc
  .tuple(lines, fc.constantFrom("\n", "\n", "\r\n", ...lineEnds), fc.boolean())
  .map(([all, end, ends]) => all.join(end) + (ends ? end : ""));
const names = ["/a/AGENTS.md", "/a/b/AGENTS.md", "/a folder/“CLAUDE”.md", "brave-search", "x, line 1", '"'] as const;
type File = { readonly name: string; readonly text: string };
const files: fc.Arbitrary<File[]> = fc
  .uniqueArray(fc.constantFrom(...names), { maxLength: 5 })
  .chain((chosen) => fc.tuple(...chosen.map((name) => fc.record({ name: fc.constant(name), text }))));

/** Some lines others, some gone, some new; files that come, go and change places. */
type Edit = { readonly at: number; readonly count: number; readonly lines: readonly string[] };
const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(60),
  count: fc.nat(3),
  lines: fc.array(line, { maxLength: 3 }),
});
const edits = fc.record({
  file: fc.nat(9),
  edits: fc.array(edit, { maxLength: 3 }),
  drop: fc.constantFrom(-1, -1, 0, 1),
  swap: fc.constantFrom(false, false, true),
  added: fc.option(fc.record({ at: fc.nat(5), text })),
});

function edited(
  before: readonly File[],
  { file, edits: made, drop, swap, added }: typeof edits extends fc.Arbitrary<infer Value> ? Value : never,
): File[] {
  const now = before.map((one, index) => {
    if (index !== file % Math.max(1, before.length)) return one;
    const rows = one.text.split("\n");
    for (const { at, count, lines: fresh } of made) rows.splice(at % (rows.length + 1), count, ...fresh);
    return { ...one, text: rows.join("\n") };
  });
  if (drop >= 0) now.splice(drop, 1);
  if (swap) now.reverse();
  const free = names.find((name) => now.every((one) => one.name !== name));
  if (added && free !== undefined) now.splice(added.at % (now.length + 1), 0, { name: free, text: added.text });
  return now;
}

const setting = fc.record({
  trust: fc.constantFrom<Trust>("own", "user"),
  separator: fc.constantFrom(...separators),
  named: fc.constantFrom(true, true, false),
  foreign: fc.constantFrom(-1, -1, -1, 0, 1),
  mark: fc.constantFrom("[system 29961d64]", undefined),
});
type Setting = typeof setting extends fc.Arbitrary<infer Value> ? Value : never;

function wordsOf(all: readonly File[], { trust, separator, named, foreign }: Setting): SectionText {
  const parts = all.map(
    ({ name: id, text: words }, index): Part => ({
      text: words,
      source: `source of ${id}`,
      ...(named ? { id } : {}),
      ...(index === foreign ? { trust: "foreign" as const } : {}),
    }),
  );
  const prompt = assemble(charterOf(trust, separator), { files: { status: "present", parts } });
  return bodiesOf(prompt, undefined)[0] as SectionText;
}

function told(before: SectionText, now: SectionText, { trust, separator, mark }: Setting): SectionText {
  const forbidden = planOf(charterOf(trust, separator)).byName.get("files")?.forbidden;
  return toldWords({
    section: "files",
    label: "files",
    before,
    now,
    mark,
    forbidden: forbidden as NonNullable<typeof forbidden>,
  });
}

/** What a reader of the message knows the section to be: all of it was told, or the changes are made in what it knew. */
function readFrom(message: SectionText, before: SectionText, now: SectionText, mark: string | undefined): string {
  const whole = updateWords({ section: "files", label: "files", now }, mark);
  if (message.text === whole.text) return now.text;
  const all = [{ name: null, lines: before.text.split("\n") }];
  const after = withChange(message.text, partsIn(before) ?? all) ?? withChange(message.text, all);
  return after?.flatMap(({ lines: standing }) => standing).join("\n") ?? "nothing that can be read";
}

test("the words of before, with what was told made in them, are the words of now", () => {
  always(
    [files, edits, setting],
    (one, change, given) => {
      const [before, now] = [wordsOf(one, given), wordsOf(edited(one, change), given)];
      if (before.text === now.text) return;
      const message = told(before, now, given);
      expect(readFrom(message, before, now, given.mark)).toBe(now.text);
      expect(message.text.length).toBeLessThanOrEqual(
        updateWords({ section: "files", label: "files", now }, given.mark).text.length,
      );
      expect(message.spans.reduce((sum, { length }) => sum + length, 0)).toBe(message.text.length);
    },
    runs(60, 4000),
  );
});

/** A message's words by whose they are. */
function ownedWords({ text: all, spans }: SectionText): { readonly source: string; readonly words: string }[] {
  const ends: number[] = [];
  for (const { length } of spans) ends.push((ends.at(-1) ?? 0) + length);
  return spans.map(({ source }, at) => ({ source, words: all.slice(ends[at - 1] ?? 0, ends[at]) }));
}

test("every line of a part is told behind its bar, and as the words of its source", () => {
  always([files, edits, setting], (one, change, given) => {
    const [before, now] = [wordsOf(one, given), wordsOf(edited(one, change), given)];
    const message = told(before, now, given);
    if (message.text === updateWords({ section: "files", label: "files", now }, given.mark).text) return;
    const sources = new Set([...before.spans, ...now.spans].map(({ source }) => source));
    for (const { source, words } of ownedWords(message)) {
      if (source === "delivery") continue;
      expect(sources).toContain(source);
      // A line that was is quoted on its own; any other begins with a bar.
      if (/^"(?:[^"\\]|\\.)*"$/.test(words)) continue;
      for (const row of words.split(anyLineEnd).slice(0, -1)) expect(row === "" || row.startsWith("| ")).toBe(true);
    }
    const rows = message.text.split(anyLineEnd).filter((row) => !row.startsWith("| "));
    const says = /^$|:$| is gone\.$| are gone\.$/;
    for (const row of rows) expect(row).toMatch(says);
  });
});

test("however long a section is, what changed in it is found in time", () => {
  const long = (word: string) => Array.from({ length: 40_000 }, (_, at) => `${word} ${at % 7} ${at}`).join("\n");
  const given: Setting = { trust: "own", separator: "\n\n", named: true, foreign: -1, mark: undefined };
  const files = (one: string, other: string) =>
    wordsOf(
      [
        { name: "/a/AGENTS.md", text: one },
        { name: "/a/b/AGENTS.md", text: other },
      ],
      given,
    );
  const before = files(long("one"), long("two"));
  const [line, whole] = [files(long("one").replace("one 3 3\n", ""), long("two")), files(long("one"), long("three"))];
  const began = process.cpuUsage();
  const messages = [told(before, line, given), told(before, whole, given)];
  const { user } = process.cpuUsage(began);
  expect(messages[0]?.text).toBe('Your prompt has changed in “files”:\nOf "/a/AGENTS.md", line 4 ("one 3 3") is gone.');
  expect(messages[1]?.text.startsWith('Your prompt has changed in “files”:\n"/a/b/AGENTS.md" now reads:\n| ')).toBe(
    true,
  );
  expect(readFrom(messages[1] as SectionText, before, whole, undefined)).toBe(whole.text);
  expect(user).toBeLessThan(5_000_000);
});
