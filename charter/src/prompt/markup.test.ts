import { expect, test } from "vitest";
import { lineCuts } from "./character.ts";
import { plainBlocks } from "./code.ts";
import { markupPlaces } from "./forgery.ts";
import { type ForbiddenStructure, nothingForbidden } from "./structure.ts";

const nothing: ForbiddenStructure = nothingForbidden;
const level: ForbiddenStructure = { ...nothingForbidden, level: 2, rules: true };
const tags: ForbiddenStructure = { ...nothingForbidden, level: 2, tags: new Set(["goals"]) };

const rows: [what: string, text: string, places: string[], forbidden?: ForbiddenStructure][] = [
  ["own tag, longer name", "<goals-2> <goal> </ GOALS>", ["tag sure 0", "tag sure 17"], tags],
  ["own tag in code", "`<goals>`\n\n```\n<goals>\n```", ["tag sure 1", "tag sure 15"], tags],
  [
    "headings down to the level",
    "<h1>a</h1> <h2>b</h2> <h3>c</h3>",
    ["heading sure 0", "heading sure 5", "heading sure 11", "heading sure 16"],
    level,
  ],
  ["headings below the level that are not closed", "<h3>c", ["markup maybe 0"], level],
  ["a rule", "<hr> <HR/>", ["separator sure 0", "separator sure 5"], level],
  ["a rule where none is forbidden", "<hr>", []],
  ["code in code spans", "`<pre>` `<div>`", [], level],
  ["a heading in code within a line", "`<h1>`", [], level],
  ["code opened in a code span and never closed", "`<code>` x", ["markup maybe 1"], level],
  ["an end of code alone", "x </code> y", ["markup maybe 2"], level],
  ["code closed on its line", "<code>x</code>", [], level],
  ["pre opened, closed later", "<pre>\nx\n</pre>", ["markup maybe 0"], level],
  ["pre never closed", "<pre>\nx", ["markup hides 0"], level],
  ["an end of pre alone", "x\n</pre>", [], level],
  ["select never closed", "<select>", ["markup maybe 0"], level],
  ["a comment that ends", "<!-- a -->", []],
  ["one that ends too early to some", "<!--> a -->", ["markup maybe 0"]],
  ["one that ends later to some", "<!-- a --!> b -->", ["markup maybe 0"]],
  ["one that never ends", "<!-- a >", ["markup hides 0"]],
  ["one of two lines in a paragraph", "x <!-- a\nb -->", ["markup maybe 2"]],
  ["one of two lines at the start of a line", "x\n<!-- a\nb -->", ["markup maybe 2"]],
  ["one with a blank line, after a blank line", "x\n\n<!-- a\n\nb -->", ["markup maybe 3"]],
  ["one with an odd line end", "<!-- a\rb -->", ["markup maybe 0"]],
  ["instruction", "<?php x ?> <% y %> <![CDATA[z]]> <!DOCTYPE html> </ p>", []],
  [
    "instructions that do not end",
    "<?php\n<%\n<![CDATA[\n</ p",
    ["markup hides 0", "markup hides 6", "markup hides 9", "markup hides 19"],
  ],
  ["character data that ends later to some", "<![CDATA[z]]]>", ["markup maybe 0"]],
  ["instructions over lines", "<?a\n?> <!A\n>", ["markup maybe 0", "markup maybe 7"]],
  ["an empty end", "</>", []],
  ["a tag that ends on another line", "<a\n  href='x'>y</a>", ["markup maybe 0", "markup maybe 15"]],
  ["a tag with another in it", "<i a <b>c</b></i>", ["markup maybe 0", "markup maybe 13"]],
  ["a tag of a thousand characters", `<br ${"x".repeat(996)}>`, []],
  ["a longer one", `<br ${"x".repeat(997)}>`, ["markup hides 0"]],
  ["quoted values", `<a b="c='" d = 'e"' f=g it's>x</a>`, []],
  ["a sign in a quoted value", '<a title=">">x</a>', ["markup maybe 0", "markup maybe 14"]],
  ["in single quotes", "<a title='>'>x</a>", ["markup maybe 0", "markup maybe 14"]],
  ["a value that does not end", '<a title=">x</a>', ["markup maybe 0", "markup maybe 12"]],
  ["an odd line end in a tag", "<a\rb>", ["markup maybe 0"]],
  ["a tag in a quotation without an end", "> <a", ["markup hides 2"]],
  ["in the middle of a line", "x <a", ["markup maybe 2"]],
  ["balanced", "<div><div></div></div>", []],
  ["closed before it opens", "</div><div>", ["markup maybe 0", "markup maybe 6"]],
  ["one too few ends", "<div>", ["markup maybe 0"]],
  ["elements whose end may be left out", "<li>x", []],
  ["not where sections are tags", "<li>x", ["markup maybe 0"], tags],
  ["unknown elements", "<x-y>", []],
  ["an end seen in code counts for some", "`</div>` <div>", ["markup maybe 9"]],
  ["a wide sign is no tag to others", "＜div＞", []],
  ["a space before the name", "< div>", []],
  ["no name", "a <1> <- b", []],
  ["in deep code", "- a\n  - b\n\n    ```\n    <div>\n    ```\n</div>", []],
  ["in code", "```\n<div>\n```", []],
  ["inside a comment", "<!-- <div> --> <b", ["markup maybe 0", "markup maybe 5", "markup maybe 15"]],
  ["inside of an element closed on its line", "<script>a</script><b", ["markup maybe 18"]],
];
for (const [what, text, places, forbidden = nothing] of rows)
  test(`markup, ${what}`, () => {
    const cuts = lineCuts(text);
    const found = markupPlaces(text, cuts, plainBlocks(text, cuts, false).blocks, forbidden);
    expect(found.map(({ what: kind, certainty, at }) => `${kind} ${certainty} ${at}`)).toEqual(places);
  });
