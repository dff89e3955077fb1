import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { drawMarkdown } from "./rendered.tsx";

/** What is drawn, without its looks. */
const html = (text: string) =>
  renderToStaticMarkup(drawMarkdown(text)).replace(
    / (?:class|dir|target|rel|title|role|aria-label|tabindex|scope)="[^"]*"/g,
    "",
  );

const inlines: [text: string, drawn: string][] = [
  ["It is **sunny**.", "It is <strong>sunny</strong>."],
  ["`a` and ``b`c``", "<code>a</code> and <code>b`c</code>"],
  ["`` ` ``", "<code>`</code>"],
  ["*so* and _so_", "<em>so</em> and <em>so</em>"],
  ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
  ["**a *b* `c`**", "<strong>a <em>b</em> <code>c</code></strong>"],
  ["~~old~~ \\*not so\\*", "<del>old</del> *not so*"],
  ["[x](https://a.example/b)", '<a href="https://a.example/b">x</a>'],
  ["See https://a.example/b.", 'See <a href="https://a.example/b">https://a.example/b</a>.'],
  ["<https://a.example>", '<a href="https://a.example">https://a.example</a>'],
  ["![a plum](https://a.example/p.png)", '<a href="https://a.example/p.png">a plum</a>'],
  ["[x](javascript:alert(1))", "[x](javascript:alert(1))"],
  ["[x](data:text/html,hi) http://", "[x](data:text/html,hi) http://"],
  ["a ** b ** c", "a ** b ** c"],
  ["**open `open *open [open", "**open `open *open [open"],
  ["<b>bold</b> &amp; <!-- x -->", "&lt;b&gt;bold&lt;/b&gt; &amp;amp; &lt;!-- x --&gt;"],
];
for (const [text, drawn] of inlines)
  test(`within a line: ${text}`, () => {
    expect(html(text)).toBe(`<p>${drawn}</p>`);
  });

const blocks: [what: string, text: string, drawn: string][] = [
  ["nothing", "", ""],
  ["paragraphs", "one\ntwo\n\nthree", "<p>one\ntwo</p><p>three</p>"],
  ["a heading, and one that is none", "# One #\n#two", "<p>One </p><p>#two</p>"],
  ["code that is never closed", "```ts\nlet a = `b`;\n", "<pre><code>let a = `b`;\n</code></pre>"],
  [
    "a list in a list, and words that go on",
    "- one\n  more\n  - two\n- three",
    "<ul><li><p>one\n  more</p><ul><li><p>two</p></li></ul></li><li><p>three</p></li></ul>",
  ],
  ["numbers from three on", "3. c\n4. d", '<ol start="3"><li><p>c</p></li><li><p>d</p></li></ol>'],
  ["what is done", "- [x] a\n- [ ] b", "<ul><li><p>☑ a</p></li><li><p>☐ b</p></li></ul>"],
  ["a quote in a quote", "> a\n> > b", "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>"],
  ["a rule, and no heading under words", "a\n---\n- b", "<p>a</p><hr/><ul><li><p>b</p></li></ul>"],
  ["a tag as a block", "<script>\nalert(1)\n</script>", "<p>&lt;script&gt;\nalert(1)\n&lt;/script&gt;</p>"],
  [
    "a table right below words, its cells read as lines are",
    "Prices:\n| what | price |\n|---|--:|\n| **tea** | <b>2</b> |\n||x \\| y|",
    '<p>Prices:</p><div><table><thead><tr><th style="text-align:start">what</th><th style="text-align:right">price</th></tr></thead>' +
      '<tbody><tr><td style="text-align:start"><strong>tea</strong></td><td style="text-align:right">&lt;b&gt;2&lt;/b&gt;</td></tr>' +
      '<tr><td style="text-align:start"></td><td style="text-align:right">x | y</td></tr></tbody></table></div>',
  ],
];
for (const [what, text, drawn] of blocks)
  test(`in blocks: ${what}`, () => {
    expect(html(text)).toBe(drawn);
  });

test("lines end as elsewhere, also a heading's", () => {
  expect(html("# One\r\nTwo\r\n\r\n## Three\rfour\r\n# five\u2028six")).toBe(
    "<p>One</p><p>Two</p><p>Three</p><p>four</p><p>five\u2028six</p>",
  );
});

const endless: [what: string, text: string][] = [
  ["quotes in quotes", ">"],
  ["brackets that are never closed", "["],
  ["ticks that are never closed", "`a``b"],
  ["ever longer runs of ticks", Array.from({ length: 190 }, (_, index) => `${"`".repeat(index + 1)}a`).join("")],
  ["stars that are never closed", "**a"],
  ["single stars that are never closed", "*a"],
  ["waves that are never closed", "~~a"],
  ["spaces without end", " "],
  ["dashes and spaces without end", "- "],
  ["rows of quotes and lists", "> - 1. "],
  ["bars without end", "|"],
  ["rows of dashes without end", "|-\n"],
  ["bars behind backslashes without end", "\\|"],
  ["addresses without end", "https://"],
  ["pictures of pictures", "![a]("],
  ["a tag in a tag", "<b <b "],
];
for (const [what, text] of endless)
  test(`an end is found: ${what}`, () => {
    for (const length of [19_900, 400_000])
      expect(html(`${text.repeat(length / text.length)} deep`)).toMatch(/deep<\/[a-z]+>(?:<\/[a-z]+>)*$/);
  });
