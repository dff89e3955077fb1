import { parser } from "@lezer/markdown";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fenceAfter } from "./code-fence.ts";
import { splitMessage } from "./split.ts";

const paragraph = (word: string, units: number) =>
  `${`${word} `.repeat(Math.ceil(units / (word.length + 1))).slice(0, units - 1)}.`;

describe("a message is cut where a reader would", () => {
  const rows: [what: string, text: string, most: number, expected: string[]][] = [
    ["it fits", "Hello.", 4096, ["Hello."]],
    ["there is nothing to say", "", 4096, []],
    ["there is nothing but white space", " \n\t\n ", 4096, []],
    ["after a paragraph", "One two three.\n\nFour five six. Seven.", 26, ["One two three.", "Four five six. Seven."]],
    ["after a line", "One two three\nfour five six seven eight", 26, ["One two three", "four five six seven eight"]],
    [
      "after a sentence",
      "One two three four. Five six seven eight",
      32,
      ["One two three four.", "Five six seven eight"],
    ],
    ["after a word", "one two three four five six seven eight", 24, ["one two three four five", "six seven eight"]],
    ["inside a word", "a".repeat(50), 24, ["a".repeat(24), "a".repeat(24), "aa"]],
    ["not inside a surrogate pair", `a${"😀".repeat(20)}`, 24, [`a${"😀".repeat(11)}`, "😀".repeat(9)]],
    ["not inside a family", "👨‍👩‍👧‍👦".repeat(4), 30, ["👨‍👩‍👧‍👦".repeat(2), "👨‍👩‍👧‍👦".repeat(2)]],
    [
      "where a character is longer than a message",
      `e${"\u0301".repeat(30)}`,
      24,
      [`e${"\u0301".repeat(23)}`, "\u0301".repeat(7)],
    ],
    [
      "with the indentation of the next line",
      "- one two three\n\n  - four five six seven",
      28,
      ["- one two three", "  - four five six seven"],
    ],
    [
      "by lines that end the old way",
      "One two three\r\n\r\nfour five six seven eight",
      30,
      ["One two three", "four five six seven eight"],
    ],
  ];
  for (const [what, text, most, expected] of rows) test(what, () => expect(splitMessage(text, most)).toEqual(expected));
});

describe("a code block", () => {
  test("that must be cut is closed, and opened again with its language", () => {
    const text = `Look:\n\n\`\`\`ts\n${Array.from({ length: 8 }, (_, n) => `const n${n} = ${n};`).join("\n")}\n\`\`\`\n\nDone.`;
    expect(splitMessage(text, 64)).toEqual([
      "Look:\n\n```ts\nconst n0 = 0;\nconst n1 = 1;\nconst n2 = 2;\n```",
      "```ts\nconst n3 = 3;\nconst n4 = 4;\nconst n5 = 5;\n```",
      "```ts\nconst n6 = 6;\nconst n7 = 7;\n```\n\nDone.",
    ]);
  });

  test("that fits into a message of its own is not cut", () => {
    const block = `\`\`\`sh\n${"echo hello\n".repeat(4)}\`\`\``;
    expect(splitMessage(`Run this:\n\n${block}`, 60)).toEqual(["Run this:", block]);
  });

  test("that ends where the message does is not followed by an empty one", () => {
    const text = `\`\`\`\n${"12345678\n".repeat(6)}\`\`\`\nand so on`;
    expect(splitMessage(text, 32)).toEqual([
      "```\n12345678\n12345678\n```",
      "```\n12345678\n12345678\n```",
      "```\n12345678\n12345678\n```",
      "and so on",
    ]);
  });

  test("that was never closed is", () => {
    expect(splitMessage("```py\nprint(1)")).toEqual(["```py\nprint(1)\n```"]);
  });

  test("keeps its blank lines and its indentation across a cut", () => {
    const messages = splitMessage(`~~~\nif a:\n\n    b()\n\n    c()\n    dddddddddd()\n~~~`, 40);
    expect(messages).toEqual(["~~~\nif a:\n\n    b()\n\n    c()\n~~~", "~~~\n    dddddddddd()\n~~~"]);
  });

  test("of one endless line is cut all the same", () => {
    const messages = splitMessage(`\`\`\`json\n${"x".repeat(100)}\n\`\`\``, 64);
    expect(messages.every((one) => one.length <= 64 && /^```json\nx+\n```$/.test(one))).toBe(true);
    expect(messages.join("").replace(/[^x]/g, "")).toBe("x".repeat(100));
  });

  test("of a list keeps its place in it", () => {
    const lines = "   echo one\n".repeat(6);
    expect(splitMessage(`1. Run\n   \`\`\`sh\n${lines}   \`\`\`\n2. Wait`, 64)).toEqual([
      `1. Run\n   \`\`\`sh\n${"   echo one\n".repeat(3)}   \`\`\``,
      `   \`\`\`sh\n${"   echo one\n".repeat(3)}   \`\`\`\n2. Wait`,
    ]);
  });
});

test("what stands between marks on one line is no block until it is cut; then each half is closed like one", () => {
  expect(splitMessage("```diam lectus aliquam```", 24)).toEqual(["```diam lectus\n```", "```\n aliquam```\n```"]);
});

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
      { numRuns: 2000 },
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
      { numRuns: 2000 },
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
      { numRuns: 2000 },
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
      { numRuns: 500 },
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
      { numRuns: 1000 },
    ));
});

test("a book is split in no time worth speaking of, and each message is well filled", () => {
  const text = Array.from({ length: 400 }, (_, n) => paragraph(`word${n}`, 700)).join("\n\n");
  const messages = splitMessage(text);
  expect(messages.length).toBeLessThan((text.length / 4096) * 1.3);
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
