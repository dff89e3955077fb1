import { expect, test } from "vitest";
import { whole } from "../../test/homes.ts";
import { placesIn } from "./forgery.ts";
import { lineKey } from "./line.ts";
import { type ForbiddenStructure, nothingForbidden } from "./structure.ts";

const under: ForbiddenStructure = { ...nothingForbidden, level: 2, rules: true };
const named: ForbiddenStructure = {
  ...nothingForbidden,
  lines: new Set([lineKey("**Safety**")]),
  tags: new Set(["goals"]),
};

/** Each place as “what certainty line”, and the closing line where there is one. */
function seen(text: string, forbidden: ForbiddenStructure = under): string[] {
  const { places, closing } = placesIn(text, forbidden);
  const lines = places.map(({ what, certainty, at }) => `${what} ${certainty} ${text.slice(0, at).split("\n").length}`);
  return closing === "" ? lines : [...lines, `closed by ${JSON.stringify(closing)}`];
}

const nbsp = "\u00A0";
const rows: [what: string, text: string, places: string[], forbidden?: ForbiddenStructure][] = [
  ["plain words", "Be brief.\n- one\n- two\n\n1. a < b\n2. `<pre>`", []],
  ["a heading all readers see", "### ok\n## Safety", ["heading sure 2"]],
  [
    "a heading only some see",
    "a\n##Safety\n#1 rule\n#!/bin/sh",
    ["heading maybe 2", "heading maybe 3", "heading maybe 4"],
  ],
  ["a space nobody types", `##${nbsp}Safety`, ["heading maybe 1"]],
  ["a run alone, whose last sign is its title", "###\n####", ["heading maybe 1"]],
  ["behind a number of ten digits", "1234567890. ## x", ["heading maybe 1"]],
  ["behind a tag that ends", "<b>x</b>##x", ["heading maybe 1"]],
  ["behind each tag of a line", "<b># x</b># y", ["heading maybe 1", "heading maybe 1"]],
  ["under a line that only looks blank", `Law\n${nbsp}\n--`, ["heading sure 3"]],
  ["under a line that is blank", "Law\n\n--", []],
  ["a lone sign", "a\n-\nb\n=", ["heading maybe 2", "heading maybe 4"]],
  ["above the first line may stand anything", "--\nwords", ["heading sure 1"]],
  ["rules", "a\n\n***\n\n- - -", ["separator sure 3", "separator sure 5"]],
  ["a definition that takes the blank line with it", "Law\n[x]: /y", ["heading maybe 2"]],
  ["definitions in a paragraph of their own", "Law\n\n[x]: /y\n[z]: /w", []],
  ["a footnote", "a\n\n[^1]: b", ["heading maybe 3"]],
  ["the charter's own lines", "x\n ** SAFETY **\n- **Safety**", ["line sure 2", "line maybe 3"], named],
  [
    "however much white space is in them",
    `**Safety${" ".repeat(999)}**\n<${" ".repeat(999)}goals>`,
    ["line sure 1", "tag sure 2"],
    named,
  ],
  ["the charter's own lines in code", "a\n\n```\n**safety**\n```", ["line sure 4"], named],
  [
    "the charter's own tags in any width, with what nobody sees in them",
    "x ＜／ｇｏａｌｓ＞ <go\u200Bals>",
    ["tag sure 1", "tag sure 1"],
    named,
  ],
  ["the charter's own tags, also in code", "`</Goals>` <goal>\n< / GOALS\n>", ["tag sure 1", "tag sure 2"], named],
  ["code all readers see", "```sh\n# x\n---\n<!--\n```\n\n- a\n\n  ```\n  # y\n  ```", []],
  ["code in a quotation", "> ```\n> # x\n> ```", []],
  ["code in the comments of code", " * a\n * ```ts\n * b\n * ```\n */", []],
  ["a fence that stays open", "a\n```sh\n# x", ["fence hides 2", 'closed by "\\n```"']],
  [
    "one that readers pair otherwise",
    "```sh title=x\n# a\n```\n\n~~~\n# b\n~~~",
    ["fence maybe 1", "heading sure 2", "fence maybe 3"],
  ],
  ["a line that ends it for some", "```\na\n```js\n# b\n```", ["fence maybe 1"]],
  ["code that leaves its item", "- a\n  ```\n# b\n  ```", ["fence maybe 2", "heading sure 3", "fence maybe 4"]],
  ["code with nothing in it", "```\n```", ["fence maybe 1", "fence maybe 2"]],
  ["one odd fence costs no other code", "  - ```\n\n```\n# b\n```", ["fence maybe 1"]],
  ["marks in its info string make it none", "``` `a`\nb", []],
  ["a comment", "<!-- a -->\n\n<!--\nb\n-->", []],
  ["one that never ends", "a\n<!-- b", ["markup hides 2"]],
  ["an instruction, a declaration", "<?x\n<!x\n<%x", ["markup hides 1", "markup hides 2", "markup hides 3"]],
  ["what hides what follows", "<pre>x</pre> <script>", ["markup hides 1"]],
  ["what hides little", "Use <select> and <code> here.", ["markup maybe 1", "markup maybe 1"]],
  ["what is closed on another line", "<pre>\nx\n</pre>", ["markup maybe 1"]],
  ["a tag without an end", "text\n\n<p", ["markup hides 3"]],
  ["the same in prose", "a <b and c", ["markup maybe 1"]],
  ["a value that runs over its line", '<a title="\n">', ["markup hides 1"]],
  ["tags that do not balance", "<div>\n<div>\n</div>", ["markup maybe 1", "markup maybe 2", "markup maybe 3"]],
  ["tags that do", "<div>\n<br>\n</div> <b>x</b> Map<K, V>", []],
  [
    "headings and rules in HTML",
    "x <h2>y</h2> <hr> <h3>z</h3>",
    ["heading sure 1", "heading sure 1", "separator sure 1"],
  ],
  ["lines that end where few end them", "a\u001C# x\u2424# y", ["heading sure 1", "heading sure 1"]],
];
for (const [what, text, places, forbidden] of rows)
  test(`places, ${what}`, () => expect(seen(text, forbidden)).toEqual(places));

test("words that stand alone are free", () => {
  expect(seen("# A\n\n---\n\n<script>", { ...under, free: true })).toEqual([]);
});

test("hostile text takes time in step with its length", () => {
  const units = [
    "<a ",
    '<a b="',
    "```\n",
    "- ",
    "> ",
    "[x]:\n",
    "`",
    "<!--",
    "~~~~\n```\n",
    "<div>",
    "1. ",
    "</",
    "< ",
    "<\t/ ",
  ];
  const odd = { ...under, lines: named.lines, tags: named.tags };
  const many = whole ? 40_000 : 8_000;
  const texts = [
    ...units.map((unit) => unit.repeat(many)),
    ...units.map((unit) => `<${unit.repeat(many)}`),
    `${">###x".repeat(12_000)}${"- ".repeat(20_000)}`,
    `${">###x".repeat(12_000)}${" ".repeat(40_000)}`,
    `x ${"<a".repeat(50_000)}> \`c\``,
    "`<pre>`\n".repeat(20_000),
    "#1\n".repeat(33_333),
  ];
  for (const text of texts) expect(placesIn(text, odd).closing.length).toBeLessThan(10);
});
