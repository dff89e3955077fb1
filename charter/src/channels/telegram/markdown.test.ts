import { expect, test } from "vitest";
import { formattedText } from "./markdown.ts";
import { endOf } from "./split.ts";

/** The text, and each entity as `type:its words`. */
function shown(source: string): [text: string, ...entities: string[]] {
  const { text, entities } = formattedText(source);
  return [
    text,
    ...entities.map(
      (one) => `${one.type}${one.language ? `(${one.language})` : ""}:${text.slice(one.offset, endOf(one))}`,
    ),
  ];
}

const rows: [what: string, source: string, text: string, ...entities: string[]][] = [
  ["plain words", "Just 2 * 3 * 4 = 24_000, a_b_c.", "Just 2 * 3 * 4 = 24_000, a_b_c."],
  ["styles in each other", "A **b *c* ~~d~~** e", "A b c d e", "bold:b c d", "italic:c", "strikethrough:d"],
  ["styles side by side", "**a** *b***c**", "a bc", "bold:a", "italic:b", "bold:c"],
  ["code in a style", "**a `b` c**", "a b c", "bold:a", "code:b", "bold:c"],
  ["the same style twice", "# A **b**", "A b", "bold:A b"],
  [
    "headings",
    "# One #\n\nText\n\nTwo\n===\n### Three",
    "One\n\nText\n\nTwo\nThree",
    "bold:One",
    "bold:Two",
    "bold:Three",
  ],
  ["a link", "See [the bank](https://evil.example/x).", "See the bank (https://evil.example/x)."],
  [
    "a link that says another address",
    "[https://bank.example](https://evil.example)",
    "https://bank.example (https://evil.example)",
  ],
  [
    "links that say where they lead",
    "<https://a.example> [https://a.example](https://a.example) https://b.example",
    "https://a.example https://a.example https://b.example",
  ],
  ["a link with styles and a title", '[**a** b](<https://a.example/x y> "T")', "a b (https://a.example/x y)", "bold:a"],
  ["a picture", "![A cat](https://a.example/cat.png)", "A cat (https://a.example/cat.png)"],
  ["an address elsewhere", "[a][1] and [b]\n\n[1]: https://a.example", "[a][1] and [b]\n\n[1]: https://a.example"],
  ["lists", "- a\n- b **c**\n  more\n  * d\n\n1. e\n2) f", "• a\n• b c\n  more\n  • d\n\n1. e\n2) f", "bold:c"],
  ["tasks", "- [ ] a\n- [x] b", "• ☐ a\n• ☑ b"],
  ["a quotation", "> a **b** `c`\n> d\n> > e\n\nf", "a b c\nd\ne\n\nf", "blockquote:a b c\nd\ne", "bold:b"],
  [
    "code",
    "```ts\nconst a = 1;\n\n  b();\n```\nText",
    "const a = 1;\n\n  b();\nText",
    "pre(ts):const a = 1;\n\n  b();",
  ],
  ["code with a title", "```ts title=a.ts\nb\n```", "ts title=a.ts\nb", "pre:b"],
  ["code that never ends", "~~~\na\n", "a", "pre:a"],
  ["code in a list", "- a\n  ```\n  b\n    c\n  ```", "• a\nb\n  c", "pre:b\n  c"],
  ["code with backticks", "`` a`b ``", "a`b", "code:a`b"],
  [
    "a table",
    "| a | **b** |\n|---|:-:|\n| `cc` | [d](https://e.example) |\n| f |",
    "a  | b\n---|----------------------\ncc | d (https://e.example)\nf  |",
    "pre:a  | b\n---|----------------------\ncc | d (https://e.example)\nf  |",
  ],
  [
    "a table with empty cells",
    "| a | b | c |\n|---|---|---|\n| 1 | | 3 |\n| | 2 | |",
    "a | b | c\n--|---|--\n1 |   | 3\n  | 2 |",
    "pre:a | b | c\n--|---|--\n1 |   | 3\n  | 2 |",
  ],
  ["marks alone", "```\n```", "```\n```"],
  ["a rule", "a\n\n---\n\nb", "a\n\n———\n\nb"],
  ["escapes, characters and breaks", "\\*a\\* &lt;b&gt; &copy;\\\nc  \nd", "*a* <b> &copy;\nc\nd"],
  ["HTML", "<b>a</b>\n\n<div>\n  b\n</div>", "<b>a</b>\n\n<div>\nb\n</div>"],
  ["odd line ends", "**a**\r\n\r\nb\rc", "a\n\nb\nc", "bold:a"],
  ["characters of two units", "😀 **👍🏽 b** `😀`", "😀 👍🏽 b 😀", "bold:👍🏽 b", "code:😀"],
  ["nothing", " \n ", ""],
];
test.each(rows)("%s", (_, source, ...expected) => {
  expect(shown(source)).toEqual(expected);
});

test("what is too long, too deep or too full of brackets for a parser is text", () => {
  for (const hostile of ["a ".repeat(20_001), "![](".repeat(9000)])
    expect(formattedText(hostile)).toEqual({ text: hostile, entities: [] });
  for (const hostile of [">".repeat(39_000), "*a ".repeat(13_000), "_a__b ".repeat(6000), "- ".repeat(19_000)])
    expect(formattedText(hostile).text.replace(/[^a-b]/g, "").length).toBe(hostile.replace(/[^a-b]/g, "").length);
});
