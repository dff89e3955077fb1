import { describe, expect, test } from "vitest";
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

test("a book is split in no time worth speaking of, and each message is well filled", () => {
  const text = Array.from({ length: 400 }, (_, n) => paragraph(`word${n}`, 700)).join("\n\n");
  const messages = splitMessage(text);
  expect(messages.length).toBeLessThan((text.length / 4096) * 1.3);
});
