import { expect, test } from "vitest";
import { lineCuts } from "./character.ts";
import { codeSpans, plainBlocks } from "./code.ts";

const rows: [what: string, text: string, spans: string[]][] = [
  ["one", "a `b` c", ["`b`"]],
  ["two", "`a` b `c d`", ["`a`", "`c d`"]],
  ["longer runs", "``a`b`` c", []],
  ["a run without its like", "a `b c\nd` `e`", []],
  ["runs of other lengths", "`a``", []],
  ["on the next line, and in the next paragraph", "`a\n\n`b`", ["`b`"]],
  ["behind an escape", "\\`a` `b`", []],
  ["HTML at the start of a line", "<b> `a`\n`c`", []],
  ["HTML in the middle", "x <b> `a`", ["`a`"]],
  ["in a tag", "x <b title=`a`> `c`", []],
  ["a tag between", "`a` <b `c`", []],
  ["a tag that ended between", "`a` <b> `c`", ["`a`", "`c`"]],
  ["a less-than sign that is no tag", "a < b `c`", ["`c`"]],
  ["the end of a comment", "--> `a`", []],
  ["after a block of code", "x `\n\n```\n`y`\n```\n`z`", ["`z`"]],
  ["a line end that is one to few", "`a`\u2028`b`", []],
  ["after a quotation mark", "> <b> `a`", []],
];
const spansIn = (text: string, underTag: boolean) => {
  const cuts = lineCuts(text);
  const { blocks } = plainBlocks(text, cuts, false);
  return codeSpans(text, cuts, blocks, underTag).map(([from, to]) => text.slice(from, to));
};
for (const [what, text, spans] of rows)
  test(`code within a line, ${what}`, () => expect(spansIn(text, false)).toEqual(spans));

test("under a tag there is none before a blank line", () => {
  expect(spansIn("`a`\n\n`b`", true)).toEqual(["`b`"]);
});
