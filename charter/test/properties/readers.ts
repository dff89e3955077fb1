import cmarkGfm from "cmark-gfm-js";
import { HtmlRenderer, Parser } from "commonmark";
import markdownIt from "markdown-it";
import meanings from "markdown-it-deflist";
import footnotes from "markdown-it-footnote";
import { marked } from "marked";
import { micromark } from "micromark";
import { gfmFootnote, gfmFootnoteHtml } from "micromark-extension-gfm-footnote";
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";
import { Remarkable } from "remarkable";
import showdown from "showdown";

/** Readers nobody here wrote: Markdown in, HTML out. */
export type Reader = { readonly name: string; readonly html: (text: string) => string };

function showdownAs(flavour: string): Reader {
  const converter = new showdown.Converter();
  converter.setFlavor(flavour);
  return { name: `showdown, ${flavour}`, html: (text) => converter.makeHtml(text) };
}

const commonmark = new Parser();
const renderer = new HtmlRenderer();
const plain = markdownIt();
const withHtml = markdownIt({ html: true });
const withMore = markdownIt({ html: true }).use(footnotes).use(meanings);
const more = { extensions: [gfmFootnote()], htmlExtensions: [gfmFootnoteHtml()] };
const remarkable = new Remarkable({ html: true });

export const readers: readonly Reader[] = [
  { name: "commonmark", html: (text) => renderer.render(commonmark.parse(text)) },
  { name: "markdown-it", html: (text) => plain.render(text) },
  { name: "markdown-it with HTML", html: (text) => withHtml.render(text) },
  { name: "markdown-it with footnotes and meanings", html: (text) => withMore.render(text) },
  { name: "micromark", html: (text) => micromark(text, { allowDangerousHtml: true }) },
  { name: "micromark with footnotes", html: (text) => micromark(text, { allowDangerousHtml: true, ...more }) },
  { name: "cmark-gfm", html: (text) => cmarkGfm.convertUnsafe(text, cmarkGfm.Option.footnotes) },
  { name: "marked", html: (text) => marked.parse(text, { async: false }) },
  showdownAs("vanilla"),
  showdownAs("github"),
  { name: "remarkable", html: (text) => remarkable.render(text) },
];

const others = "\\r\\v\\f\\x1C-\\x1E\\x85\\u2028\\u2029";
const pythonEnd = new RegExp(`\\r\\n|[${others}]`, "g");

/** Four ideas of a line end: what each takes for one is a newline to the reader. */
export const lineIdeas: readonly { readonly name: string; readonly see: (text: string) => string }[] = [
  { name: "as the reader has it", see: (text) => text },
  { name: "only \\n", see: (text) => text.replace(/\r(?!\n)/g, " ") },
  { name: "as JavaScript has it", see: (text) => text.replace(/\r\n|[\r\u2028\u2029]/g, "\n") },
  {
    name: "as Python has it",
    see: (text) => text.replace(pythonEnd, "\n"),
  },
];

/** What a reader makes of a text: its headings, how many rules, and which elements, outside code and what is hidden. */
export type Seen = {
  readonly headings: readonly { readonly level: number; readonly text: string; readonly quoted: boolean }[];
  readonly rules: number;
  readonly quotedRules: number;
  readonly elements: readonly string[];
};

type Node = DefaultTreeAdapterTypes.ChildNode;

const hidden = new Set([
  "pre",
  "code",
  "script",
  "style",
  "textarea",
  "title",
  "template",
  "xmp",
  "iframe",
  "noscript",
]);

/** The page a reader's HTML makes, as a browser parses it. */
export function seenIn(html: string): Seen {
  const headings: { level: number; text: string; quoted: boolean }[] = [];
  const elements: string[] = [];
  let rules = 0;
  let quotedRules = 0;
  const walk = (node: Node, quoted: boolean): void => {
    if (!("tagName" in node) || hidden.has(node.tagName)) return;
    const { tagName, childNodes } = node;
    elements.push(tagName);
    const level = /^h([1-6])$/.exec(tagName)?.[1];
    if (level) headings.push({ level: Number(level), text: textOf(node).trim().replace(/\s+/g, " "), quoted });
    if (tagName === "hr" && quoted) quotedRules++;
    else if (tagName === "hr") rules++;
    for (const child of childNodes) walk(child, quoted || tagName === "blockquote");
  };
  for (const node of parseFragment(html).childNodes) walk(node, false);
  return { headings, rules, quotedRules, elements };
}

function textOf(node: Node): string {
  if (node.nodeName === "#text") return (node as DefaultTreeAdapterTypes.TextNode).value;
  return "tagName" in node && !hidden.has(node.tagName) ? node.childNodes.map(textOf).join("") : "";
}
