import { expect, test } from "vitest";
import { type Inline, inline } from "./inline.ts";
import { type Block, markdown } from "./markdown.ts";

const inlines: [text: string, found: readonly Inline[]][] = [
  ["It is **sunny**.", ["It is ", { kind: "strong", of: ["sunny"] }, "."]],
  ["`a` and ``b`c``", [{ kind: "code", text: "a" }, " and ", { kind: "code", text: "b`c" }]],
  ["`` ` ``", [{ kind: "code", text: "`" }]],
  ["*so* and _so_", [{ kind: "slanted", text: "so" }, " and ", { kind: "slanted", text: "so" }]],
  ["snake_case_name and 2 * 3 * 4", ["snake_case_name and 2 * 3 * 4"]],
  ["**a *b* `c`**", [{ kind: "strong", of: ["a ", { kind: "slanted", text: "b" }, " ", { kind: "code", text: "c" }] }]],
  ["[x](https://a.example/b)", [{ kind: "link", href: "https://a.example/b", text: "x" }]],
  [
    "See https://a.example/b.",
    ["See ", { kind: "link", href: "https://a.example/b", text: "https://a.example/b" }, "."],
  ],
  ["[x](javascript:alert(1))", ["[x](javascript:alert(1))"]],
  ["[x](data:text/html,hi) http://", ["[x](data:text/html,hi) http://"]],
  ["a ** b ** c", ["a ** b ** c"]],
  ["**open `open *open [open", ["**open `open *open [open"]],
  ["<b>bold</b>", ["<b>bold</b>"]],
];
for (const [text, found] of inlines)
  test(`within a line: ${text}`, () => {
    expect(inline(text)).toEqual(found);
  });

const blocks: [what: string, text: string, found: readonly Block[]][] = [
  ["nothing", "", []],
  [
    "paragraphs",
    "one\ntwo\n\nthree",
    [
      { kind: "paragraph", of: ["one\ntwo"] },
      { kind: "paragraph", of: ["three"] },
    ],
  ],
  [
    "a heading, and one that is none",
    "# One\n#two",
    [
      { kind: "heading", of: ["One"] },
      { kind: "paragraph", of: ["#two"] },
    ],
  ],
  ["code that is never closed", "```ts\nlet a = `b`;\n", [{ kind: "code", text: "let a = `b`;\n" }]],
  [
    "a list in a list, and words that go on",
    "- one\n  more\n  - two\n- three",
    [
      {
        kind: "list",
        start: undefined,
        items: [
          { depth: 0, of: ["one\nmore"] },
          { depth: 1, of: ["two"] },
          { depth: 0, of: ["three"] },
        ],
      },
    ],
  ],
  [
    "numbers from three on",
    "3. c\n4. d",
    [
      {
        kind: "list",
        start: 3,
        items: [
          { depth: 0, of: ["c"] },
          { depth: 0, of: ["d"] },
        ],
      },
    ],
  ],
  [
    "a quote in a quote",
    "> a\n> > b",
    [
      {
        kind: "quote",
        of: [
          { kind: "paragraph", of: ["a"] },
          { kind: "quote", of: [{ kind: "paragraph", of: ["b"] }] },
        ],
      },
    ],
  ],
  [
    "a rule, and no heading under words",
    "a\n\n---\n- - b",
    [
      { kind: "paragraph", of: ["a"] },
      { kind: "rule" },
      { kind: "list", start: undefined, items: [{ depth: 0, of: ["- b"] }] },
    ],
  ],
  [
    "a table right below words, its cells read as lines are",
    "Prices:\n| what | price |\n|---|--:|\n| **tea** | <b>2</b> |\nand so on",
    [
      { kind: "paragraph", of: ["Prices:"] },
      {
        kind: "table",
        aligns: [undefined, "right"],
        head: [["what"], ["price"]],
        rows: [[[{ kind: "strong", of: ["tea"] }], ["<b>2</b>"]]],
      },
      { kind: "paragraph", of: ["and so on"] },
    ],
  ],
];
for (const [what, text, found] of blocks)
  test(`in blocks: ${what}`, () => {
    expect(markdown(text)).toEqual(found);
  });

test("lines end as elsewhere, also a heading's", () => {
  expect(words(markdown("# One\r\nTwo\r\n\r\n## Three\rfour\r\n# five\u2028six"))).toBe(
    "One|Two|Three|four|five\u2028six",
  );
});

const endless: [what: string, text: string][] = [
  ["quotes in quotes", `${">".repeat(20_000)} deep`],
  ["brackets that are never closed", `${"[".repeat(400_000)} deep`],
  ["ticks that are never closed", `${"`a``b".repeat(90_000)} deep`],
  [
    "ever longer runs of ticks",
    `${Array.from({ length: 300 }, (_, index) => `${"`".repeat(index + 1)}a`).join("")} deep`,
  ],
  ["stars that are never closed", `${"**a".repeat(150_000)} deep`],
  ["single stars that are never closed", `${"*a".repeat(200_000)} deep`],
  ["spaces without end", `-${" ".repeat(400_000)} deep`],
  ["dashes and spaces without end", `${"- ".repeat(200_000)} deep`],
  ["rows of quotes and lists", `${"> - 1. ".repeat(50_000)} deep`],
  ["bars without end", `${"|".repeat(400_000)}\n${"|-".repeat(200_000)}\n deep`],
  ["rows of dashes without end", `${"|-\n".repeat(100_000)} deep`],
  ["bars behind backslashes without end", `${"|a\n|-\n"}${"\\|".repeat(200_000)} deep`],
  ["addresses without end", `${"https://".repeat(100_000)} deep`],
];
for (const [what, text] of endless)
  test(`an end is found: ${what}`, () => {
    expect(words(markdown(text))).toMatch(/deep$/);
  });

function words(found: readonly Block[]): string {
  return found
    .map((block) => {
      if (block.kind === "rule") return "";
      if (block.kind === "code") return block.text;
      if (block.kind === "quote") return words(block.of);
      if (block.kind === "table") return [block.head, ...block.rows].map((row) => row.map(said).join("|")).join("|");
      if (block.kind === "list") return block.items.map(({ of }) => said(of)).join("|");
      return said(block.of);
    })
    .join("|");
}

function said(of: readonly Inline[]): string {
  return of.map((one) => (typeof one === "string" ? one : "of" in one ? said(one.of) : one.text)).join("");
}
