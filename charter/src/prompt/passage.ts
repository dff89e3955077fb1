import type { SyntaxNode } from "@lezer/common";
import { parser } from "@lezer/markdown";

/** A parser for CommonMark's blocks. Inline markup is left out: it does not matter here, and is slow to parse in hostile text. */
const blocks = parser.configure({
  remove: ["Escape", "Entity", "InlineCode", "HTMLTag", "Emphasis", "HardBreak", "Link", "Image", "LinkEnd"],
});

const oddLineEnd = /[\r\v\f\u0085\u2028\u2029]/;

/** Replaces every kind of line end by `\n`, the only one the parser knows. Indices stay the same. */
function lineShadow(text: string): string {
  if (!oddLineEnd.test(text)) return text;
  return text.replace(/\r\n/g, " \n").replace(/[\r\v\f\u0085\u2028\u2029]/g, "\n");
}

const mark = "(?:>|[-+*](?=[ \\t])|\\d{1,9}[.)](?=[ \\t]))";
const deep = new RegExp(`^((?:[ \\t]*${mark}){100})((?:[ \\t]*${mark})+)`, "gm");

/**
 * Prepares the text for the parser: what is nested deeper than anyone writes becomes prose, since parsing takes time with the
 * square of the depth. Indices stay the same.
 */
export function shallow(shadow: string): string {
  return shadow.replace(deep, (_, marks: string, more: string) => marks + "x".repeat(more.length));
}

/** A Markdown heading in a text. `start` is a string index, `line` counts from 1. */
export type Heading = {
  readonly level: number;
  readonly title: string;
  readonly start: number;
  /** The string index after the heading's last character, before its line end. */
  readonly end: number;
  readonly line: number;
};

/** A heading and the text under it, up to the next heading of the same or a higher level. */
type Passage = { readonly heading: Heading; readonly start: number; readonly end: number };

/** Lists the headings of a text, by CommonMark: not those in a code fence, in a quotation, in a list or in prose. */
export function headings(text: string): Heading[] {
  const shadow = lineShadow(text);
  const list: Heading[] = [];
  let line = 1;
  let counted = 0;
  for (let node = blocks.parse(shallow(shadow)).topNode.firstChild; node; node = node.nextSibling) {
    const level = headingNodeLevel(node.name);
    if (level === 0) continue;
    for (let at = shadow.indexOf("\n", counted); at !== -1 && at < node.from; at = shadow.indexOf("\n", counted)) {
      line++;
      counted = at + 1;
    }
    const start = shadow.lastIndexOf("\n", node.from - 1) + 1;
    const end = node.from + text.slice(node.from, node.to).trimEnd().length;
    list.push({ level, title: nodeTitle(text, node), start, end, line });
  }
  return list;
}

/** Lists the passages of a text, by its Markdown headings: what the operation `replace_section` can replace. */
export function passages(text: string): Passage[] {
  const ends: number[] = new Array(7).fill(text.length);
  return headings(text)
    .toReversed()
    .map((heading) => {
      const end = ends[heading.level] ?? text.length;
      ends.fill(heading.start, heading.level);
      return { heading, start: heading.start, end };
    })
    .toReversed();
}

/** Tells whether a marker names this heading. Level and whole title must agree. */
export function matchesHeading(marker: Heading, heading: Heading): boolean {
  return marker.level === heading.level && marker.title === heading.title;
}

/** Reads a marker such as `## Goals`; undefined when it is not exactly one heading. */
export function parseMarker(text: string): Heading | undefined {
  const trimmed = text.trim();
  const [only, ...others] = headings(trimmed);
  return only?.start === 0 && others.length === 0 && only.end === trimmed.length ? only : undefined;
}

/** Returns the heading level of a node by its name; 0 for anything else. Setext: `===` is 1, `---` is 2. */
function headingNodeLevel(name: string): number {
  return name.startsWith("ATXHeading") || name.startsWith("SetextHeading") ? Number(name.at(-1)) : 0;
}

function nodeTitle(text: string, node: SyntaxNode): string {
  let from = node.from;
  let to = node.to;
  for (const mark of node.getChildren("HeaderMark")) {
    if (mark.from === node.from) from = mark.to;
    else to = mark.from;
  }
  return text.slice(from, to).trim().replace(/\s+/g, " ").normalize("NFC");
}

/** A text whose headings all stand below a level, and how many were moved there. */
type LoweredText = { readonly text: string; readonly lowered: number };

/**
 * Moves the headings of a text down until none is as high as `level`; their relative levels stay, as far as six levels go. What
 * is no heading, such as a line in a code block, stays as it is.
 */
export function lowerHeadings(text: string, level: number): LoweredText {
  const all = headings(text);
  const by = level + 1 - all.reduce((highest, heading) => Math.min(highest, heading.level), 6);
  if (all.length === 0 || by <= 0 || level >= 6) return { text, lowered: 0 };
  let lowered = "";
  let from = 0;
  for (const heading of all) {
    lowered += text.slice(from, heading.start) + lowerHeading(text, heading, Math.min(heading.level + by, 6));
    from = heading.end;
  }
  return { text: lowered + text.slice(from), lowered: all.length };
}

function lowerHeading(text: string, { start, end, title }: Heading, level: number): string {
  const written = text.slice(start, end);
  const marked = /^([ \t]*)#{1,6}(?=[ \t]|$)/.exec(written);
  if (marked) return `${marked[1]}${"#".repeat(level)}${written.slice(marked[0].length)}`;
  // Underlined headings have only two levels, so this one gets `#` signs.
  return `${"#".repeat(level)} ${title}`;
}
