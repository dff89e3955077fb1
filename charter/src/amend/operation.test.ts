import { expect, test } from "vitest";
import { applyOperation, type Operation } from "./operation.ts";

const apply = (text: string, operation: Operation, opening = 0, original = text, lined = false) => {
  const applied = applyOperation(operation, {
    text,
    original,
    opening,
    lined,
    revisionText: (revision) => ["born", "once"][revision],
  });
  return "after" in applied ? applied.after : `${applied.refusal.guard}: ${applied.refusal.because}`;
};

test("append puts words on a new line at the end", () => {
  expect(apply("You are Ada.", { kind: "append", content: "\n## Learned\nCheck." })).toBe(
    "You are Ada.\n\n## Learned\nCheck.",
  );
  expect(apply("", { kind: "append", content: "Hello." })).toBe("Hello.");
  expect(apply("One.\n", { kind: "append", content: "Two.\n" })).toBe("One.\n\nTwo.\n");
});

const prepends: [what: string, text: string, opening: number, after: string][] = [
  ["no opening", "You are Ada.\nMore.", 0, "NEW\nYou are Ada.\nMore."],
  ["at the line end after the opening", "You are Ada.\nMore.", 7, "You are Ada.\nNEW\nMore."],
  ["the opening ends before a line end", "You are Ada.\nMore.", 12, "You are Ada.\nNEW\nMore."],
  ["the opening ends after a line end", "You are Ada.\nMore.\n", 13, "You are Ada.\nNEW\nMore.\n"],
  ["in a last line, after the next white space", "You are Ada the agent", 5, "You are \nNEW\nAda the agent"],
  ["in a last line without white space", "You are Ada", 9, "You are Ada\nNEW"],
  ["the opening is longer than the text", "You are Ada.", 200, "You are Ada.\nNEW"],
  ["CRLF", "You are Ada.\r\nMore.", 7, "You are Ada.\r\nNEW\r\nMore."],
  ["the opening ends in the second line", "A.\nBcd.\nE.", 4, "A.\nBcd.\nNEW\nE."],
  ["never between the halves of a line end", "You are Ada.\r\nMore.", 13, "You are Ada.\r\nNEW\r\nMore."],
  ["inside a grapheme", "👩‍🚀 flies\nMore.", 1, "👩‍🚀 flies\nNEW\nMore."],
  ["an empty text", "", 10, "NEW"],
];
for (const [what, text, opening, after] of prepends)
  test(`prepend, ${what}`, () => expect(apply(text, { kind: "prepend", content: "NEW" }, opening)).toBe(after));

test("prepend goes after the opening of the original, also where the text has grown", () => {
  const text = "I am Eva.\nI learned A.";
  expect(apply(text, { kind: "prepend", content: "NEW" }, 200, "I am Eva.")).toBe("I am Eva.\nNEW\nI learned A.");
});

test("rewrite, reset and revert", () => {
  expect(apply("now", { kind: "rewrite", content: "new" })).toBe("new");
  expect(apply("now", { kind: "reset" }, 0, "born")).toBe("born");
  expect(apply("now", { kind: "revert", to: 1 })).toBe("once");
  expect(apply("now", { kind: "revert", to: 7 })).toBe("revision: not-found: There is no revision 7 to go back to.");
});

const base = "# Me\nI am Ada.\n\n## Goals\n1. Grow\n\n## Rest\nSleep.\n";
const passages: [what: string, text: string, marker: string, content: string, after: string][] = [
  [
    "with its heading",
    base,
    "## Goals",
    "## Goals\n1. Rest",
    "# Me\nI am Ada.\n\n## Goals\n1. Rest\n\n## Rest\nSleep.\n",
  ],
  ["content without heading", base, "## Goals", "1. Rest", "# Me\nI am Ada.\n\n## Goals\n1. Rest\n\n## Rest\nSleep.\n"],
  [
    "content with white space around it",
    base,
    "## Goals",
    "\n\n1. Rest\n\n",
    "# Me\nI am Ada.\n\n## Goals\n1. Rest\n\n## Rest\nSleep.\n",
  ],
  ["the last passage", base, "## Rest", "Wake.", "# Me\nI am Ada.\n\n## Goals\n1. Grow\n\n## Rest\nWake.\n"],
  ["no content leaves the heading", base, "## Goals", "", "# Me\nI am Ada.\n\n## Goals\n\n## Rest\nSleep.\n"],
  ["another heading", base, "## Goals", "## Aims\n1. Rest", "# Me\nI am Ada.\n\n## Aims\n1. Rest\n\n## Rest\nSleep.\n"],
  ["heading in a fence of backticks", "```\n## A\n```\n## A\nold", "## A", "new", "```\n## A\n```\n## A\nnew"],
  ["heading in a fence of tildes", "~~~\n## A\n~~~\n## A\nold", "## A", "new", "~~~\n## A\n~~~\n## A\nnew"],
  [
    "heading in a nested fence",
    "````\n```\n## A\n```\n````\n## A\nold",
    "## A",
    "new",
    "````\n```\n## A\n```\n````\n## A\nnew",
  ],
  ["a fence inside the passage", "## A\n```\n## B\n```\nold\n## C\nc", "## A", "new", "## A\nnew\n## C\nc"],
  ["an unclosed fence inside the passage", "## A\n```\n## B\nold", "## A", "new", "## A\nnew"],
  ["deeper heading inside", "## A\nold\n### A1\nold\n## B\nb", "## A", "new", "## A\nnew\n## B\nb"],
  ["higher heading after", "## A\nold\n# B\nb", "## A", "new", "## A\nnew\n# B\nb"],
  [
    "longer title first",
    "## Goals and Metrics\nm\n## Goals\nold",
    "## Goals",
    "new",
    "## Goals and Metrics\nm\n## Goals\nnew",
  ],
  ["another level first", "### Goals\ng\n\n## Goals\nold", "## Goals", "new", "### Goals\ng\n\n## Goals\nnew"],
  ["title in prose first", "My ## Goals are\n\n## Goals\nold", "## Goals", "new", "My ## Goals are\n\n## Goals\nnew"],
  ["CRLF", "## A\r\nold\r\n\r\n## B\r\nb\r\n", "## A", "new\nlines", "## A\r\nnew\r\nlines\r\n\r\n## B\r\nb\r\n"],
  ["Setext", "A\n===\n\nold\n\nB\n===\nb", "# A", "new", "A\n===\n\nnew\n\nB\n===\nb"],
  ["trailing hashes", "## A ##\nold\n", "## A", "new", "## A ##\nnew\n"],
  ["marker with trailing hashes", "## A\nold\n", "## A ##", "new", "## A\nnew\n"],
  ["emoji", "## 🎯 Goals\nold\n## 👩‍🚀\nx", "## 🎯 Goals", "new", "## 🎯 Goals\nnew\n## 👩‍🚀\nx"],
  ["combining characters", "## Cafe\u0301\nold", "## Café", "new", "## Cafe\u0301\nnew"],
  ["an empty passage", "## A\n## B\nb", "## A", "new", "## A\nnew\n## B\nb"],
  ["a blank line under the heading survives", "## A\n\nold\n\n\n## B", "## A", "new", "## A\n\nnew\n\n\n## B"],
  ["dollars are only dollars", "## A\nold", "## A", "$& $1 $$", "## A\n$& $1 $$"],
  ["content that opens with a deeper heading", "## A\nx\n\n## B", "## A", "### Soon\ny", "## A\n### Soon\ny\n\n## B"],
  ["content with its heading after blank lines", "## A\nx\n", "## A", "\n\n## A\ny", "## A\ny\n"],
  ["content with an underlined heading", "## A\nx\n\n## B\n", "## A", "A\n---\ny", "A\n---\ny\n\n## B\n"],
  ["content with a heading in a fence", "## A\nx\n", "## A", "```\n## A\n```", "## A\n```\n## A\n```\n"],
  ["content with carriage returns", "## A\nx\n", "## A", "one\r\ntwo", "## A\none\ntwo\n"],
  ["CRLF elsewhere in the text", "# Top\r\n\r\n## A", "## A", "one\ntwo", "# Top\r\n\r\n## A\r\none\r\ntwo"],
  ["a last passage without a line end", "## A\nx", "## A", "y", "## A\ny"],
  ["several blank lines between passages", "## A\nx\n\n\n\n## B\n", "## A", "y", "## A\ny\n\n\n\n## B\n"],
  ["heading in a quotation", "> ## A\n\n## A\nb", "## A", "n", "> ## A\n\n## A\nn"],
  ["Setext, of the second level", "A\n---\nold\n\nB\n---\nz", "## A", "n", "A\n---\nn\n\nB\n---\nz"],
  ["an indented heading", "  ## A\nold\n", "## A", "new", "  ## A\nnew\n"],
  [
    "a heading of another level alone",
    "### A\na",
    "## A",
    "new",
    "passage: not-found: There is no heading “## A”. There are: “### A” (line 1).",
  ],
  [
    "heading in a fence that is never closed",
    "## A\nx\n```\n## B\n",
    "## B",
    "new",
    "passage: not-found: There is no heading “## B”. There are: “## A” (line 1).",
  ],
  [
    "duplicate headings",
    "## A\n1\n\n## A\n2",
    "## A",
    "new",
    "passage: ambiguous: “## A” is on lines 1, 4. Make the headings differ first.",
  ],
  [
    "missing heading",
    base,
    "## Aims",
    "new",
    "passage: not-found: There is no heading “## Aims”. There are: “# Me” (line 1), “## Goals” (line 4), “## Rest” (line 7).",
  ],
  [
    "marker that is no heading",
    "## A\nold",
    "A",
    "new",
    "passage: not-found: “A” is no heading. Name one by level and title, as in “## Goals”. There are: “## A” (line 1).",
  ],
  ["no headings at all", "old", "## A", "new", "passage: not-found: There is no heading “## A”. There are: none."],
];
for (const [what, text, marker, content, after] of passages)
  test(`a passage, ${what}`, () => expect(apply(text, { kind: "replace_section", marker, content })).toBe(after));

const lined = "## Goals\nGrow.\n\nIn short:\n\nGrow.";
const lines: [what: string, operation: Operation, after: string][] = [
  ["append", { kind: "append", content: "Rest." }, "## Goals\nGrow.\nRest."],
  [
    "append, with another",
    { kind: "append", content: "Rest.", compact: "Both." },
    "## Goals\nGrow.\nRest.\n\nIn short:\n\nBoth.",
  ],
  ["prepend", { kind: "prepend", content: "Rest." }, "Rest.\n## Goals\nGrow."],
  [
    "replace_section",
    { kind: "replace_section", marker: "## Goals", content: "Rest.", compact: "Rest." },
    "## Goals\nRest.\n\nIn short:\n\nRest.",
  ],
  ["rewrite", { kind: "rewrite", content: "Rest." }, "Rest."],
  ["rewrite, in the text itself", { kind: "rewrite", content: "Rest.\n\nIn short:\n\nR." }, "Rest.\n\nIn short:\n\nR."],
  [
    "rewrite, in both",
    { kind: "rewrite", content: "Rest.\n\nIn short:\n\nR.", compact: "S." },
    "Rest.\n\nIn short:\n\nS.",
  ],
  ["rewrite to the same words", { kind: "rewrite", content: "## Goals\nGrow." }, lined],
  [
    "rewrite to the same words, with another",
    { kind: "rewrite", content: "## Goals\nGrow.", compact: "G." },
    "## Goals\nGrow.\n\nIn short:\n\nG.",
  ],
  ["reset", { kind: "reset" }, lined],
  ["revert", { kind: "revert", to: 1 }, "once"],
];
for (const [what, operation, after] of lines)
  test(`a compact line goes with the words it was written for: ${what}`, () =>
    expect(apply(lined, operation, 0, lined, true)).toBe(after));
