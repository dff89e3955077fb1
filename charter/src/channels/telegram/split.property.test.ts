import { parser } from "@lezer/markdown";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../test/tiers/search.ts";
import { fenceAfter, splitMessage } from "./split.ts";

describe("whatever the text", () => {
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
    { weight: 3, arbitrary: fc.constantFrom(" ", "\n", "\n\n", ". ", "\r\n", "\t", "。", "! ") },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        "```",
        "```ts\n",
        "\n```\n",
        "\n~~~\n",
        "\n  ```\n",
        "\n> ```sh\n",
        "`",
        "~~~~ x\n",
        "\n````\n",
      ),
    },
    { weight: 2, arbitrary: fc.lorem({ maxCount: 20 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("👨‍👩‍👧‍👦", "🇩🇪🇫🇷", "e\u0301\u0301", "한국어", "नमस्ते", "\u200d", "\u0301", "\u200f"),
    },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  );
  const texts = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
  const sizes = fc.oneof(fc.integer({ min: 24, max: 120 }), fc.constant(4096));

  test("no message is empty, too long, or ends in half a character", () =>
    fc.assert(
      fc.property(texts, sizes, (text, most) => {
        for (const one of splitMessage(text, most)) {
          expect(one.length).toBeLessThanOrEqual(most);
          expect(one.trim()).not.toBe("");
          expect(one.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: runs(100, 5000) },
    ));

  test("no fence is left open", () =>
    fc.assert(
      fc.property(texts, sizes, (text, most) => {
        for (const one of splitMessage(text, most)) {
          let fence: ReturnType<typeof fenceAfter>;
          for (const line of one.split("\n")) fence = fenceAfter(line, fence, Math.floor(most / 8));
          expect(fence).toBeUndefined();
        }
      }),
      { numRuns: runs(100, 5000) },
    ));

  const known = fc.constantFrom(
    "a",
    "b",
    "字",
    "😀",
    "👩‍🚀",
    " ",
    "\n",
    "\n\n",
    ". ",
    "\n```lang\n",
    "\n```\n",
    "\n~~~~\n",
    "```",
    "> ",
  );
  test("nothing but white space is lost, nothing but fences is added, and all stays in order", () =>
    fc.assert(
      fc.property(fc.array(known, { maxLength: 200 }), fc.integer({ min: 64, max: 200 }), (parts, most) => {
        const bare = (text: string) => text.replace(/[`~>\s]|lang/g, "");
        const text = parts.join("");
        expect(bare(splitMessage(text, most).join("\n"))).toBe(bare(text));
      }),
      { numRuns: runs(100, 5000) },
    ));

  const line = fc
    .string({ unit: fc.constantFrom("a", "b", " ", "字", "😀", ".", "=", "("), maxLength: 30 })
    .map((one) => `w${one}`);
  const block = fc
    .tuple(
      fc.constantFrom("```", "~~~", "````"),
      fc.constantFrom("", "ts"),
      fc.array(line, { minLength: 1, maxLength: 12 }),
    )
    .map(([mark, info, lines]) => `${mark}${info}\n${lines.join("\n")}\n${mark}`);
  test("a Markdown parser finds every code block closed, and the same code in them", () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof(line, block), { maxLength: 12 }),
        fc.integer({ min: 80, max: 300 }),
        (parts, most) => {
          const text = parts.join("\n\n");
          const messages = splitMessage(text, most);
          const found = messages.flatMap(blocksOf);
          expect(found.every(({ marks }) => marks === 2)).toBe(true);
          const code = (blocks: readonly Block[]) =>
            blocks
              .map(({ code }) => code)
              .join("")
              .replace(/\n/g, "");
          expect(code(found)).toBe(code(blocksOf(text)));
        },
      ),
      { numRuns: runs(50, 2000) },
    ));

  test("without fences and spaces, a cut text put together again is the same", () =>
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "é", "😀", "👩‍🚀", "字"), maxLength: 300 }),
        sizes,
        (text, most) => {
          expect(splitMessage(text, most).join("")).toBe(text);
        },
      ),
    ));

  test("words without fences come out in the same order, each once", () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.lorem({ maxCount: 6 }), fc.constantFrom(" ", "\n", "\n\n")), { maxLength: 80 }),
        sizes,
        (parts, most) => {
          const text = parts.flat().join("");
          expect(splitMessage(text, most).join(" ").split(/\s+/).filter(Boolean)).toEqual(
            text.split(/\s+/).filter(Boolean),
          );
        },
      ),
    ));

  test("no message begins or ends inside a character as people see it, unless one is longer than a message", () =>
    fc.assert(
      fc.property(
        texts.filter((text) => !/[`~]/.test(text)),
        sizes,
        (text, most) => {
          const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
          const longest = Math.max(0, ...[...segmenter.segment(text)].map(({ segment }) => segment.length));
          fc.pre(longest * 2 < most);
          let rest = text;
          for (const one of splitMessage(text, most)) {
            const start = rest.indexOf(one);
            expect(start).not.toBe(-1);
            const boundaries = new Set([...segmenter.segment(rest)].map(({ index }) => index).concat(rest.length));
            expect([boundaries.has(start), boundaries.has(start + one.length)]).toEqual([true, true]);
            rest = rest.slice(start + one.length);
          }
          expect(rest.trim()).toBe("");
        },
      ),
      { numRuns: runs(100, 5000) },
    ));
});

type Block = { readonly marks: number; readonly code: string };

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  parser.parse(text).iterate({
    enter: (node) => {
      if (node.name !== "FencedCode") return;
      const code = node.node.getChildren("CodeText").map(({ from, to }) => text.slice(from, to));
      blocks.push({ marks: node.node.getChildren("CodeMark").length, code: code.join("") });
    },
  });
  return blocks;
}
