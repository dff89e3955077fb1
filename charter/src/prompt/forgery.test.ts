import { expect, test } from "vitest";
import { lineKey } from "./character.ts";
import { placesIn } from "./forgery.ts";
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
  ["a definition that takes the blank line with it", "Law\n[x]: /y", ["definition maybe 2"]],
  ["definitions in a paragraph of their own", "Law\n\n[x]: /y\n[z]: /w", ["definition maybe 3", "definition maybe 4"]],
  ["a footnote", "a\n\n[^1]: b", ["definition maybe 3"]],
  ["a footnote in a line", "a^[b] `^[c]` \\^[d]\n\n```\n^[e]\n```", ["definition maybe 1"]],
  ["what a term means", "Term\n:   # Law\n> ~ ---\n:x", ["definition maybe 2", "definition maybe 3"]],
  ["what our heading would mean", ": x", ["definition maybe 1"]],
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
  ["a comment, and one over lines", "<!-- a -->\n\n<!--\nb\n-->", ["markup maybe 3"]],
  ["one that never ends", "a\n<!-- b", ["markup hides 2"]],
  ["an instruction, a declaration", "<?x\n<!x\n<%x", ["markup hides 1", "markup hides 2", "markup hides 3"]],
  ["what hides what follows", "<pre>x</pre> <script>", ["markup hides 1"]],
  ["what hides little", "Use <select> and <code> here.", ["markup maybe 1", "markup maybe 1"]],
  ["what is closed on another line", "<pre>\nx\n</pre>", ["markup maybe 1"]],
  ["a tag without an end", "text\n\n<p", ["markup hides 3"]],
  ["the same in prose", "a <b and c", ["markup maybe 1"]],
  ["a value that runs over its line", '<a title="\n">', ["markup maybe 1"]],
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

/** Each place with its index, under a heading of this level, with or without rules that part sections. */
const exact: [what: string, text: string, places: string[], level?: number, rules?: boolean][] = [
  ["six signs", "###### x", ["heading sure 0"], 6],
  ["seven signs are prose to most", "####### x", ["heading maybe 0"], 6],
  ["seven alone", "#######", ["heading maybe 0"], 6],
  ["as deep as the level", "## x", ["heading sure 0"]],
  ["deeper", "### x", []],
  ["no level", "# x", [], 0, false],
  ["a run alone one deeper", "###", ["heading maybe 0"]],
  ["a run alone two deeper", "####", []],
  ["one sign alone", "#", ["heading sure 0"], 1],
  ["signs and signs", "### ##", ["heading maybe 0"]],
  ["a tab after it", "#\tx", ["heading sure 0"]],
  ["in a quotation", "> # x", ["heading sure 2"]],
  ["in an item", "1. # x", ["heading sure 3"]],
  ["behind nine digits", "123456789. # x", ["heading sure 11"]],
  ["behind a wide space", "\u3000# x", ["heading maybe 1"]],
  ["rules", "***\n\n___\n\n- - -\n\n--\n\n*-*", ["separator sure 0", "separator sure 5", "separator sure 10"]],
  ["a rule with white space after it", "a\n\n---  ", ["separator sure 3"]],
  ["a rule with an odd space", "a\n\n- -\u00a0-", ["separator maybe 3"]],
  ["a rule behind words", "a ---", []],
  ["a rule where none parts sections", "a\n\n---", [], 0, false],
  ["a rule in an item", "- ***", ["separator sure 2"]],
  ["a rule behind ten digits", "1234567890. ***", ["separator maybe 12"]],
  [
    "underlines",
    "a\n=\n\nb\n==\n\nc\n-\n\nd\n--",
    ["heading maybe 2", "heading sure 7", "heading maybe 13", "heading sure 18"],
  ],
  ["underlines, level 1", "a\n==\n\nc\n--", ["heading sure 2"], 1, false],
  ["an underline with words", "a\n== x", []],
  ["an underline in a quotation", "> a\n> ==", ["heading sure 6"]],
  ["underlines on the first line, no level", "==", ["heading maybe 0"], 0, false],
  ["an underline of two signs", "a\n=-", []],
  ["an underline and white space", "a\n==  \n\nb\n==\u00a0", ["heading sure 2", "heading maybe 10"]],
  ["under a block of code", "```\nx\n```\n--", []],
  ["under a longer block of code", "```\nx\n````\n--", ["heading sure 11"]],
  ["a definition after words", "a\n[x]: /y", ["definition maybe 2"]],
  ["a definition with a title", '\n\n[x]: /y "t"\n==', ["definition maybe 2", "heading sure 14"]],
  ["a definition with an address in brackets", "[x]: <y z>", ["definition maybe 0"]],
  ["a definition with an escaped sign in its name", "[x\\]y]: /z", ["definition maybe 0"]],
  ["a definition over lines", "> [x\n> y]: /z", ["definition maybe 2"]],
  ["a definition over lines with an escaped sign", "[x\n\\]y]: /z", ["definition maybe 0"]],
  ["a name over lines that nothing follows", "[x\ny] z]: /z", []],
  ["what only looks like one", "[info]: it has begun", []],
  ["a definition without forbidden things", "a\n[x]: /y", [], 0, false],
  ["where only rules are forbidden", "a\n[x]: /y", ["definition maybe 2"], 0],
  ["a footnote in an item", "- [^1]: x", ["definition maybe 2"]],
  ["a link", "a\n[x](y)", []],
  ["behind tags", "<b> # x", ["markup maybe 0", "heading maybe 4"]],
  ["behind a tag, a rule", "<b>***", ["markup maybe 0", "separator maybe 3"]],
  ["behind a tag, a short rule", "<b>**", ["markup maybe 0"]],
  ["behind a tag, words and a rule", "<b>a ***", ["markup maybe 0"]],
  ["behind a tag, spread signs", "<b>- - -", ["markup maybe 0", "separator maybe 3"]],
  ["behind a tag, spread signs, no rules", "<b>- - -", ["markup maybe 0"], 2, false],
];
for (const [what, text, places, level = 2, rules = true] of exact)
  test(`places by index, ${what}`, () => {
    const found = placesIn(text, { ...nothingForbidden, level, rules }).places;
    expect(found.map(({ what: kind, certainty, at }) => `${kind} ${certainty} ${at}`)).toEqual(places);
  });

test("words that stand alone are free", () => {
  expect(seen("# A\n\n---\n\n<script>", { ...under, free: true })).toEqual([]);
});
