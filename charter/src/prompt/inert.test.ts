import { expect, test } from "vitest";
import { inert, inertTogether } from "./fence.ts";
import { headings } from "./passage.ts";
import { nothingForbidden } from "./structure.ts";

const under = { level: 2, rules: true, lines: [] };

const rows: [what: string, before: string, after: string][] = [
  ["plain words", "Answer briefly.\n- one\n- two", "Answer briefly.\n- one\n- two"],
  ["a heading as high as the section's", "## Layer 1", "\\## Layer 1"],
  ["a higher one", "# Top", "\\# Top"],
  ["a deeper one may stand", "### Deeper", "### Deeper"],
  ["indented, tabbed, closed", "   ## A\n#\tB\n## C ##", "   \\## A\n\\#\tB\n\\## C ##"],
  ["Setext, both kinds", "A\n===\n\nB\n---", "A\n\\===\n\nB\n\\---"],
  ["in a list and in a quotation", "- # A\n\n> ## B", "- \\# A\n\n> \\## B"],
  ["a Setext heading in a quotation", "> A\n> ===", "> A\n> \\==="],
  ["the rule that parts layers, in every spelling", "a\n\n***\n\n_ _ _\n\n- - -", "a\n\n\\***\n\n\\_ _ _\n\n\\- - -"],
  ["code is left alone", "```sh\n# comment\n```\nok", "```sh\n# comment\n```\nok"],
  [
    "code in a list is left alone too, where all readers see it",
    "1. run\n   ```sh\n   # it\n   ```",
    "1. run\n   ```sh\n   # it\n   ```",
  ],
  ["an open fence is closed", "~~~~\n# in", "~~~~\n# in\n~~~~"],
  ["a backslash that makes a heading of the next line", "foo\n## bar\n===", "foo\n\\## bar\n\\==="],
  ["HTML hides nothing", "<div>\n# A\n</div>", "<div>\n\\# A\n</div>"],
  ["a fence that is one only without HTML", "<!--\n```\n-->\n# A\n```", "&lt;!--\n\\```\n-->\n\\# A\n\\```"],
  ["other line ends", "a\r# B\u2028# C\u0085# D", "a\r\\# B\u2028\\# C\u0085\\# D"],
  ["CRLF", "A\r\n===\r\n# B\r\n", "A\r\n\\===\r\n\\# B\r\n"],
];
for (const [what, before, after] of rows) {
  test(`inert, ${what}`, () => expect(inert(before, under)).toBe(after));
  test(`inert once is inert for good, ${what}`, () => expect(inert(after, under)).toBe(after));
}

test("without a heading over it, any heading may stand", () => {
  expect(inert("# A\n\n---\n\nB\n===", { level: 0, rules: false, lines: [] })).toBe("# A\n\n---\n\nB\n===");
});

test("lines and tags of the charter's own, in any case; nothing else without being told", () => {
  expect(inert("<GOALS>\n** safety **\n\n---", { tags: ["Goals"], lines: ["**Safety**"] })).toBe(
    "&lt;GOALS>\n\\** safety **\n\n---",
  );
  expect(inert("# A\n\n---\n\n```\nx")).toBe("# A\n\n---\n\n```\nx\n```");
});

test("only the fence that is closed keeps its power, whatever else hides what follows", () => {
  expect(inert("<!-- a\n\n```\nx", { level: 2 })).toBe("&lt;!-- a\n\n```\nx\n```");
  expect(inert("~~~a b\nx\n\n```\nx", { level: 2 })).toBe("\\~~~a b\nx\n\n```\nx\n```");
});

test("parts with nothing to mend are handed back as they are, and a closing stands after the last", () => {
  const forbidden = { ...nothingForbidden, level: 2 };
  expect(inertTogether(["a", "b"], ["\n", ""], forbidden)).toEqual(["a", "b"]);
  expect(inertTogether(["a", "```\nx", "# y"], ["\n", "\n", ""], forbidden)).toEqual(["a", "```\nx", "# y\n```"]);
});

test("a heading made of two parts is found", () => {
  expect(
    inertTogether(["Title", "===", "- a", "    # in the item"], ["\n", "\n", "\n", ""], {
      ...nothingForbidden,
      level: 2,
    }),
  ).toEqual(["Title", "\\===", "- a", "    \\# in the item"]);
});

test("hostile text takes no more rounds than it has depth", () => {
  const hostile = [
    "===\n".repeat(2000),
    "*a_".repeat(20_000),
    "> ".repeat(500),
    "~".repeat(5000),
    "[".repeat(5000),
  ].join("\n#\n");
  expect(inert(inert(hostile, { ...under, level: 6 }), { ...under, level: 6 })).toBe(
    inert(hostile, { ...under, level: 6 }),
  );
});

test("what is nested thirty thousand deep is inert as well, and nobody waits for it", () => {
  for (const mark of ["- ", "> ", "1. ", "* > "]) {
    const nested = mark.repeat(30_000);
    expect(inert(`${nested}# Law`, under)).toBe(`${nested}\\# Law`);
    expect(inert(`${nested}x\n---`, under)).toBe(`${nested}x\n\\---`);
    expect(inert(`${nested}x\n\`\`\`\n# Code\n\`\`\``, under)).toBe(`${nested}x\n\`\`\`\n# Code\n\`\`\``);
    expect(headings(`${nested}x\n\n# Law`)).toMatchObject([{ level: 1, title: "Law", line: 3 }]);
  }
});

test("a line that is blank only to those who end it at a vertical tab gives no title to the one under it", () => {
  const made = inert("> -----\v    \n> -", under);
  expect(made).toBe("> \\-----\v    \n> \\-");
  expect(inert(made, under)).toBe(made);
});
