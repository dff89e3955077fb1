import type { MarkdownParser } from "@lezer/markdown";
import { type Forbidden, type Forgery, type Inert, lineShadow, mayForge } from "./forgery.ts";
import { blocks, headingNodeLevel } from "./passage.ts";

/** The same blocks for a reader that knows no HTML, to whom nothing is hidden by standing in it. */
const withoutHtml = blocks.configure({ remove: ["HTMLBlock"] });

const htmlBlock = /^[ \t>]*</m;

const containers = new Set(["Document", "Blockquote", "BulletList", "OrderedList", "ListItem"]);

/** What a text forges, for a reader of CommonMark with HTML blocks, and for one without. */
export function forgeries(text: string, forbidden: Forbidden): Forgery[] {
  const shadow = lineShadow(text);
  if (!mayForge(shadow)) return [];
  const found = forgeriesBy(withoutHtml, shadow, forbidden);
  if (!htmlBlock.test(shadow)) return found;
  const seen = new Set(found.map(({ what, at }) => `${what} ${at}`));
  const more = forgeriesBy(blocks, shadow, forbidden).filter(({ what, at }) => !seen.has(`${what} ${at}`));
  return more.length === 0 ? found : [...found, ...more].sort((a, b) => a.at - b.at);
}

function forgeriesBy(parser: MarkdownParser, shadow: string, forbidden: Forbidden): Forgery[] {
  const found: Forgery[] = [];
  const tree = parser.parse(shadow);
  tree.iterate({
    enter({ name, from, to }) {
      const level = headingNodeLevel(name);
      if (level > 0 && level <= forbidden.level)
        found.push({ what: "heading", at: name.startsWith("Setext") ? underline(shadow, to) : from, level });
      if (name === "HorizontalRule" && forbidden.rules) found.push({ what: "separator", at: from, level: 0 });
      return containers.has(name);
    },
  });
  const last = tree.topNode.lastChild;
  const marks = last?.name === "FencedCode" ? last.getChildren("CodeMark") : [];
  if (marks.length === 1) found.push({ what: "open-fence", at: marks[0]?.from ?? 0, level: 0 });
  return found;
}

/** Where a Setext heading's underline starts: the mark a backslash takes the power from. */
function underline(shadow: string, end: number): number {
  let at = shadow.lastIndexOf("\n", end - 1) + 1;
  while (shadow[at] === " " || shadow[at] === "\t" || shadow[at] === ">") at++;
  return at;
}

/** Where backslashes must go, and the line that closes an open fence. */
export type Mending = { readonly places: readonly number[]; readonly closing: string };

/**
 * What makes a text inert: a backslash before every forged heading and separator, an open fence closed.
 *
 * A backslash can turn what follows into a heading (`===` under it), so this looks again until nothing is found. Each
 * line is escaped once at most, so it ends; three rounds are the most that hostile text was seen to need.
 */
export function mending(text: string, forbidden: Forbidden): Mending {
  let places: number[] = [];
  for (;;) {
    const words = insertBackslashes(text, places);
    const found = forgeries(words, forbidden);
    const fence = found.find((forgery) => forgery.what === "open-fence");
    const forged = found.filter((forgery) => forgery.what !== "open-fence").map((forgery) => forgery.at);
    const html = htmlBlock.test(words);
    if (forged.length === 0 && !(fence && html)) return { places, closing: fence ? closingFence(words, fence.at) : "" };
    const more = forged.length > 0 ? forged : fenceLines(words);
    places = [...places, ...originalIndices(more, places)].sort((a, b) => a - b);
  }
}

/** Where HTML leaves it open which fence is one, closing it might open another: then none of them is. */
function fenceLines(words: string): number[] {
  return [...lineShadow(words).matchAll(/^([ \t>]*)(?:`{3}|~{3})/gm)].map(
    ({ index, 1: before = "" }) => index + before.length,
  );
}

/** Words that others can change, made inert. */
export function inert(text: string, forbidden: Forbidden): string {
  const { places, closing } = mending(text, forbidden);
  return insertBackslashes(text, places) + closing;
}

/** Several such texts that stand together. */
export const inertTogether: Inert = (texts, gaps, forbidden) => {
  const { places, closing } = mending(texts.map((text, index) => text + gaps[index]).join(""), forbidden);
  let from = 0;
  return texts.map((text, index) => {
    const own = places.filter((at) => at >= from && at < from + text.length).map((at) => at - from);
    from += text.length + (gaps[index] as string).length;
    return insertBackslashes(text, own) + (index === texts.length - 1 ? closing : "");
  });
};

function insertBackslashes(text: string, places: readonly number[]): string {
  if (places.length === 0) return text;
  let out = "";
  let from = 0;
  for (const at of places) {
    out += `${text.slice(from, at)}\\`;
    from = at;
  }
  return out + text.slice(from);
}

/** The indices before the backslashes at `places` were put in. Both lists ascend. */
function originalIndices(indices: readonly number[], places: readonly number[]): number[] {
  let before = 0;
  return indices.map((at) => {
    while (before < places.length && (places[before] as number) + before < at) before++;
    return at - before;
  });
}

function closingFence(text: string, at: number): string {
  return `\n${/^(?:`+|~+)/.exec(text.slice(at))?.[0] ?? "```"}`;
}
