import { describe, expect, test } from "vitest";
import { frontMatter } from "./front-matter.ts";

const fieldsOf = (head: string, cut = false) => {
  const front = frontMatter(head, cut);
  return front.status === "present" ? Object.fromEntries(front.fields) : front;
};

describe("where front matter begins and ends", () => {
  const rows: [what: string, head: string, expected: object][] = [
    ["two lines of hyphens", "---\na: b\n---\nWords.", { a: "b" }],
    ["the second is the file's last line", "---\na: b\n---", { a: "b" }],
    ["spaces and tabs after the hyphens", "--- \t\na: b\n---  \n", { a: "b" }],
    ["nothing between them", "---\n---\nWords.", {}],
    ["more hyphens end nothing", "---\na: b\n----\nc: d\n---\n", { status: "invalid" }],
    ["a rule further down is not looked at", "---\na: b\n---\n---\nc: d\n---\n", { a: "b" }],
    ["no first line of hyphens", "a: b\n---\n", { status: "missing" }],
    ["an empty line before it", "\n---\na: b\n---\n", { status: "missing" }],
    ["four hyphens at first", "----\na: b\n---\n", { status: "missing" }],
    ["an empty file", "", { status: "missing" }],
    ["no second line of hyphens", "---\na: b\nWords.", { status: "open" }],
    ["only the first line", "---", { status: "open" }],
  ];
  test.each(rows)("%s", (_, head, expected) => {
    expect(fieldsOf(head)).toMatchObject(expected);
  });

  test("hyphens at the end of what was read may be the beginning of something else", () => {
    expect(frontMatter("---\na: b\n---", true)).toEqual({ status: "open" });
    expect(fieldsOf("---\na: b\n---\n", true)).toEqual({ a: "b" });
  });
});

describe("what is in it", () => {
  const rows: [what: string, yaml: string, expected: unknown][] = [
    ["text", "description: Reads PDF files (all of them).", { description: "Reads PDF files (all of them)." }],
    ["quotes", `a: "b: #1"\nc: 'it''s'`, { a: "b: #1", c: "it's" }],
    ["a text folded over lines", "a: >-\n  b\n  c\nd: e", { a: "b c", d: "e" }],
    ["a text over lines", "a: |\n  b\n  c", { a: "b\nc\n" }],
    ["a plain text over lines", "a: b\n  c\n  d", { a: "b c d" }],
    [
      "what is no text",
      "a: 1\nb: 1.5\nc: true\nd: ~\ne: 2026-01-01",
      { a: 1, b: 1.5, c: true, d: null, e: "2026-01-01" },
    ],
    ["yes and no are words in YAML 1.2", "a: yes\nb: no\nc: on", { a: "yes", b: "no", c: "on" }],
    ["lists", "a:\n  - b\n  - c\nd: [e, f]", { a: ["b", "c"], d: ["e", "f"] }],
    ["maps", "a:\n  b: c\nd: {e: f}", { a: new Map([["b", "c"]]), d: new Map([["e", "f"]]) }],
    ["comments", "# one\na: b # two", { a: "b" }],
    ["keys that are no words", "1: a\nnull: b", { 1: "a", null: "b" }],
    ["what was said before", "a: &x b\nc: *x", { a: "b", c: "b" }],
    [
      "a merge is a key like any other",
      "a: &x {b: c}\n<<: *x",
      { a: new Map([["b", "c"]]), "<<": new Map([["b", "c"]]) },
    ],
  ];
  test.each(rows)("%s", (_, yaml, expected) => {
    expect(fieldsOf(`---\n${yaml}\n---\n`)).toEqual(expected);
  });

  test("no key is special, and none reaches a prototype", () => {
    const front = frontMatter("---\n__proto__:\n  polluted: yes\nconstructor: a\ntoString: {b: c}\n---\n", false);
    expect(front.status === "present" && [...front.fields]).toEqual([
      ["__proto__", new Map([["polluted", "yes"]])],
      ["constructor", "a"],
      ["toString", new Map([["b", "c"]])],
    ]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe("what is wrong with it", () => {
  const compact = "Nested mappings are not allowed in compact mappings";
  const rows: [what: string, yaml: string, line: number, reason: string, advice: string][] = [
    [
      "a colon in a plain text",
      "a: b\nc: d: e",
      3,
      compact,
      "Put the value in quotes: it holds a colon with a space after it.",
    ],
    ["a tab", "a:\n\tb: c", 3, "Tabs are not allowed as indentation", "Indent with spaces."],
    [
      "a quote that is not closed",
      'a: "b\nc: d',
      3,
      'Missing closing "quote',
      "Close what was opened, or put the whole value in quotes.",
    ],
    ["a key that is there twice", "a: b\nc: d\na: e", 4, "“a” is there twice", "Keep one of them."],
    ["a key that is there twice in a map", "a:\n  b: c\n  b: d", 4, "“b” is there twice", "Keep one of them."],
    [
      "a tag",
      "a: !!js/function 'x'",
      2,
      "Unresolved tag: tag:yaml.org,2002:js/function",
      "Leave the tag (what begins with “!”) out, or put the value in quotes.",
    ],
    ["a list", "- a\n- b", 2, "it is not a list of fields", "Write one “key: value” a line."],
    ["a text", "Hello.", 2, "it is not a list of fields", "Write one “key: value” a line."],
    [
      "an alias of nothing",
      "a: *b",
      2,
      "Unresolved alias (the anchor must be set before the alias): b",
      "Write the values out instead.",
    ],
    [
      "a second document",
      "a: b\n...\nc: d",
      4,
      "Source contains multiple documents; please use YAML.parseAllDocuments()",
      "Fix that line.",
    ],
  ];
  test.each(rows)("%s", (_, yaml, line, reason, advice) => {
    expect(frontMatter(`---\n${yaml}\n---\n`, false)).toEqual({ status: "invalid", line, reason, advice });
  });

  test("a few bytes that stand for very many", () => {
    const levels = ["b", "c", "d", "e", "f", "g"].map((name, index) => {
      const before = `*${"abcdef"[index]}`;
      return `${name}: &${name} [${Array(9).fill(before).join(", ")}]`;
    });
    expect(fieldsOf(`---\na: &a [lol]\n${levels.join("\n")}\n---\n`)).toEqual({
      status: "invalid",
      line: 2,
      reason: "Excessive alias count indicates a resource exhaustion attack",
      advice: "Write the values out instead.",
    });
  });

  test("what is nested a thousand times", () => {
    expect(fieldsOf(`---\na: ${"[".repeat(10_000)}\n---\n`)).toMatchObject({ status: "invalid" });
    expect(fieldsOf(`---\n${"- ".repeat(10_000)}\n---\n`)).toMatchObject({ status: "invalid" });
  });

  test("thousands of keys are read, in a line too", () => {
    const keys = Array.from({ length: 5000 }, (_, index) => `k${index}: v`);
    expect(Object.keys(fieldsOf(`---\n{${keys.join(", ")}}\n---\n`))).toHaveLength(5000);
  });
});
