import fc from "fast-check";
import { expect, test } from "vitest";
import {
  amend,
  countCharacters,
  defineCharter,
  diff,
  type Operation,
  protectedOpening,
  sizeLimit,
  unified,
  type Verdict,
} from "../../src/index.ts";
import { firstCharacters, preview } from "../../src/prompt/character.ts";
import { passages } from "../../src/prompt/passage.ts";
import { blocksOf, everyLine } from "./commonmark.ts";
import { always, hostile, plain } from "./generate.ts";

const charter = defineCharter({
  name: "c",
  layers: [{ name: "l", mutability: { amendableBy: ["agent"], scope: "agent" }, sections: [{ name: "s" }] }],
});

function apply(text: string, operation: Operation, opening = 0, original = text): Verdict {
  return amend(
    charter,
    { text, original, revision: 0 },
    { section: "s", operation, actor: "agent" },
    { guards: [], opening },
  );
}

/** A text made of headed passages, with structure and traps in them. */
const heading = fc
  .tuple(
    fc.integer({ min: 1, max: 4 }),
    fc.constantFrom("Goals", "Tone", "Goals and more", "Été", "👩‍👩‍👧 Family", "C#"),
  )
  .map(([level, title]) => `${"#".repeat(level)} ${title}`);
const body = fc.constantFrom(
  "",
  "Words.",
  "- one\n- two",
  "```\n# not a heading\n```",
  "> # quoted",
  "In prose: # Goals.",
  "~~~\n## Goals\n~~~",
  "Two\n\nparagraphs.",
);
const headed = fc
  .tuple(
    fc.constantFrom("", "Before.\n\n", "Before.\n"),
    fc.array(fc.tuple(heading, body, fc.constantFrom("\n", "\n\n", "\n\n\n")), { minLength: 1, maxLength: 5 }),
    fc.boolean(),
  )
  .map(([start, all, crlf]) => {
    const text = start + all.map(([title, words, gap]) => `${title}\n${words}${gap}`).join("");
    return crlf ? text.replaceAll("\n", "\r\n") : text;
  });
const documents = fc.oneof({ weight: 3, arbitrary: headed }, { weight: 1, arbitrary: hostile });

const shownAs = (level: number, title: string) => `${"#".repeat(level)} ${title}`;

test("the passages of a text are those under the headings CommonMark sees, each to the next one as high", () => {
  always([headed], (text) => {
    const seen = blocksOf(text, { lineEnd: everyLine, html: true }).filter(
      ({ kind, from }) => kind === "heading" && (from === 0 || text[from - 1] === "\n"),
    );
    const found = passages(text);
    expect(found.map((passage) => passage.heading.level)).toEqual(seen.map(({ level }) => level));
    for (const [index, passage] of found.entries()) {
      const next = found.slice(index + 1).find((other) => other.heading.level <= passage.heading.level);
      expect(passage.end).toBe(next?.start ?? text.length);
      expect(text.slice(0, passage.start).split("\n").length).toBe(passage.heading.line);
    }
  });
});

test("replacing a passage touches nothing outside it", () => {
  always([documents, fc.nat(), fc.oneof(plain, hostile)], (text, which, content) => {
    const all = passages(text);
    const passage = all[which % Math.max(1, all.length)];
    if (!passage) return;
    const { level, title } = passage.heading;
    const verdict = apply(text, { kind: "replace_section", marker: shownAs(level, title), content });
    const same = all.filter((other) => other.heading.level === level && other.heading.title === title).length;
    if (verdict.verdict !== "accepted") {
      if (verdict.verdict === "refused" && same > 1) expect(verdict.refusals[0]?.because).toMatch(/^ambiguous/);
      return;
    }
    expect(same).toBe(1);
    const [before, after] = [text.slice(0, passage.start), text.slice(passage.end)];
    expect(verdict.after.startsWith(before)).toBe(true);
    expect(verdict.after.endsWith(after)).toBe(true);
    expect(verdict.after.length).toBeGreaterThanOrEqual(before.length + after.length);
  });
});

test("replacing a passage with plain words leaves every other passage what it was, and is the same when done twice", () => {
  const contents = fc.oneof(
    plain,
    fc.tuple(plain, plain).map((two) => two.join("\n\n")),
    plain.map((words) => `\n${words}\n\n`),
  );
  always([headed, fc.nat(), contents], (text, which, content) => {
    const all = passages(text);
    const { heading, start, end } = all[which % all.length] as (typeof all)[number];
    const operation: Operation = { kind: "replace_section", marker: shownAs(heading.level, heading.title), content };
    const once = apply(text, operation);
    if (once.verdict !== "accepted") return;
    const outside = all.filter((other) => other.start < start || other.start >= end || other.heading === heading);
    const titles = (from: readonly (typeof all)[number][]) =>
      from.map((other) => shownAs(other.heading.level, other.heading.title));
    expect(titles(passages(once.after))).toEqual(titles(outside));
    for (const line of content.split("\n")) expect(once.after).toContain(line);
    expect(apply(once.after, operation)).toMatchObject({ verdict: "unchanged", after: once.after });
  });
});

test("replacing a passage with its own heading and new words is the same when done twice, also with a blank line first", () => {
  always([headed, fc.nat(), plain, fc.constantFrom("", "\n", "\n\n", "  ")], (text, which, words, before) => {
    const all = passages(text);
    const { heading } = all[which % all.length] as (typeof all)[number];
    const marker = shownAs(heading.level, heading.title);
    const operation: Operation = { kind: "replace_section", marker, content: `${before}${marker}\n${words}` };
    const once = apply(text, operation);
    if (once.verdict !== "accepted") return;
    expect(apply(once.after, operation)).toMatchObject({ verdict: "unchanged", after: once.after });
  });
});

test("counterexample: new words do not run into the Setext heading of the next passage", () => {
  const text = "# One\nNext\n===\nwords";
  const verdict = apply(text, { kind: "replace_section", marker: "# One", content: "New words." });
  if (verdict.verdict !== "accepted") return;
  expect(passages(verdict.after).map((passage) => passage.heading.title)).toEqual(["One", "Next"]);
});

const alteredMarkers = fc.constantFrom("Goals", "# Goal", "#Goals", "# Goals\n# Tone", "", "text", "####### Goals");
test("a marker that names no heading, or more than one, is refused and says so", () => {
  always([headed, alteredMarkers], (text, marker) => {
    const verdict = apply(text, { kind: "replace_section", marker, content: "x" });
    expect(verdict).toMatchObject({
      verdict: "refused",
      refusals: [{ guard: "passage", because: expect.stringMatching(/^not-found: /) }],
    });
  });
});

test("append keeps all that stood there and ends in the new words", () => {
  always([documents, hostile], (text, content) => {
    const verdict = apply(text, { kind: "append", content });
    const after = text === "" ? content : `${text}\n${content}`;
    expect(verdict).toMatchObject({ verdict: after === text ? "unchanged" : "accepted", after });
  });
});

test("prepend puts the new words on lines of their own, after the protected opening, and loses nothing", () => {
  always([documents, plain, fc.nat(40)], (text, content, opening) => {
    const verdict = apply(text, { kind: "prepend", content }, opening);
    expect(verdict.verdict).not.toBe("refused");
    const after = "after" in verdict ? verdict.after : "";
    expect(after.startsWith(firstCharacters(text, opening))).toBe(true);
    const at = after.indexOf(content);
    const [head, tail] = [after.slice(0, at), after.slice(at + content.length)];
    expect(head === "" || head.endsWith("\n")).toBe(true);
    expect(tail === "" || /^\r?\n/.test(tail)).toBe(true);
    expect((head + tail).replace(/[\r\n]/g, "")).toBe(text.replace(/[\r\n]/g, ""));
  });
});

// Characters, bytes, graphemes.

const segments = new Intl.Segmenter("en", { granularity: "grapheme" });
const clustered = fc
  .array(fc.constantFrom("a", "é", "e\u0301", "👩‍👩‍👧", "🇩🇪", "👍🏽", "\n", " ", "한", "नि"), {
    minLength: 1,
    maxLength: 12,
  })
  .map((all) => all.join(""));

test("a protected opening never ends inside a grapheme, and keeps at least its characters", () => {
  always([clustered, fc.nat(20), clustered], (original, chars, other) => {
    const protectedLength = (() => {
      const wanted = firstCharacters(original, chars).length;
      for (const { index, segment } of segments.segment(original))
        if (index < wanted && index + segment.length > wanted) return index + segment.length;
      return wanted;
    })();
    const guard = protectedOpening(chars);
    const judge = (content: string) =>
      amend(
        charter,
        { text: original, original, revision: 0 },
        { section: "s", operation: { kind: "rewrite", content }, actor: "agent" },
        { guards: [guard] },
      ).verdict;
    const opening = original.slice(0, protectedLength);
    expect(judge(opening + other)).not.toBe("refused");
    for (let length = 0; length < protectedLength; length++)
      if (!`${original.slice(0, length)}X`.startsWith(opening))
        expect(judge(`${original.slice(0, length)}X`)).toBe("refused");
  });
});

test("sizes are counted in UTF-8 bytes and in characters, limits included", () => {
  always([fc.string({ unit: "grapheme", maxLength: 30 })], (content) => {
    const judge = (size: Parameters<typeof sizeLimit>[0]) =>
      amend(
        charter,
        { text: "", original: "", revision: 0 },
        { section: "s", operation: { kind: "rewrite", content }, actor: "agent" },
        { guards: [sizeLimit(size)] },
      ).verdict;
    const bytes = Buffer.byteLength(content, "utf8");
    const chars = [...content].length;
    expect(countCharacters(content)).toBe(chars);
    const fine = content === "" ? "unchanged" : "accepted";
    expect(judge({ bytes })).toBe(fine);
    expect(judge({ chars, minChars: chars })).toBe(fine);
    if (bytes > 0) expect(judge({ bytes: bytes - 1 })).toBe("refused");
    if (chars > 0) expect(judge({ chars: chars - 1 })).toBe("refused");
    expect(judge({ minChars: chars + 1 })).toBe("refused");
  });
});

test("a preview is one line of at most so many characters, and ends in an ellipsis exactly when something is missing", () => {
  always([hostile, fc.nat(50)], (words, most) => {
    const line = words.replace(/[\s\u0085]+/gu, " ").trim();
    const shown = preview(words, most);
    expect(shown).not.toMatch(/[\r\n\v\f\u0085\u2028\u2029]/);
    expect(shown).toBe([...line].length <= most ? line : `${[...line].slice(0, most).join("").trimEnd()}…`);
  });
});

// Differences.

const someLines = fc.array(fc.constantFrom("a", "b", "c", "", "d\r"), { maxLength: 12 }).map((all) => all.join("\n"));

test("the hunks of a difference lead from before to after, and say nothing when there is none", () => {
  always([fc.oneof(someLines, hostile), fc.oneof(someLines, hostile)], (before, after) => {
    const hunks = diff(before, after);
    const side = (gone: string) => hunks.flatMap(({ kind, lines }) => (kind === gone ? [] : lines)).join("\n");
    expect(side("added")).toBe(before);
    expect(side("removed")).toBe(after);
    if (before === after) expect(hunks.every(({ kind }) => kind === "same")).toBe(true);
    expect(unified(before, after, "s") === "").toBe(before === after);
    for (const [index, hunk] of hunks.entries()) {
      expect(hunk.lines.length).toBeGreaterThan(0);
      expect(hunks[index + 1]?.kind).not.toBe(hunk.kind);
    }
  });
});

test("the unified form can be applied: each chunk's numbers are the lines it names", () => {
  always([someLines, someLines], (before, after) => {
    const rows = unified(before, after, "s").split("\n").slice(2, -1);
    const source = before === "" ? [] : before.split("\n");
    const out: string[] = [];
    let at = 0;
    for (const row of rows) {
      const chunk = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(row);
      if (chunk) {
        const start = Number(chunk[1]) - (chunk[2] === "0" ? 0 : 1);
        out.push(...source.slice(at, start));
        at = start;
        expect(out.length).toBe(Number(chunk[3]) - (chunk[4] === "0" ? 0 : 1));
      } else if (row.startsWith("+")) out.push(row.slice(1));
      else {
        expect(source[at]).toBe(row.slice(1));
        if (row.startsWith(" ")) out.push(row.slice(1));
        at++;
      }
    }
    out.push(...source.slice(at));
    expect(out.join("\n")).toBe(after);
  });
});
