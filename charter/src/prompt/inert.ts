import type { MarkdownParser } from "@lezer/markdown";
import {
  candidates,
  type Forbidden,
  type Forgery,
  type Inert,
  lineShadow,
  mayForge,
  narrowShadow,
  shallow,
} from "./forgery.ts";
import { blocks } from "./passage.ts";

/** The same blocks for a reader that knows no HTML, to whom nothing is hidden by standing in it. */
const withoutHtml = blocks.configure({ remove: ["HTMLBlock"] });

const htmlBlock = /^[ \t>]*</m;

type Code = { readonly from: number; readonly to: number };

/** A text as one kind of reader takes it: where its code is, and where a fence stays open at the end. */
type View = { readonly code: readonly Code[]; readonly open: number | undefined };

function viewBy(parser: MarkdownParser, shadow: string): View {
  const code: Code[] = [];
  const tree = parser.parse(shallow(shadow));
  tree.iterate({
    enter({ name, from, to }) {
      if (name === "FencedCode") code.push({ from, to });
      return name === "Document" || name === "Blockquote" || name.endsWith("List") || name === "ListItem";
    },
  });
  const last = tree.topNode.lastChild;
  const marks = last?.name === "FencedCode" ? last.getChildren("CodeMark") : [];
  return { code, open: marks.length === 1 ? marks[0]?.from : undefined };
}

/**
 * Is every fence one that all readers pair alike: at the very start of its line? Behind white space, a quotation mark or
 * the mark of a list item they disagree, and one bogus fence turns every later one inside out: then no code is believed.
 */
function pairsPlainly(shadow: string): boolean {
  return fenceLines(shadow).every((at) => at === 0 || shadow[at - 1] === "\n");
}

/** With and without HTML blocks, with every line end, with CommonMark's own and with `\n` alone: a model may be any of them. */
function viewsOf(text: string): View[] {
  const parsers = htmlBlock.test(lineShadow(text)) ? [withoutHtml, blocks] : [withoutHtml];
  return shadowsOf(text).flatMap((shadow) => parsers.map((parser) => viewBy(parser, shadow)));
}

function shadowsOf(text: string): string[] {
  return [...new Set([lineShadow(text), narrowShadow(text), text])];
}

/** What a text forges. Only what is code to every reader may look like a heading. */
export function forgeries(text: string, forbidden: Forbidden): Forgery[] {
  if (!mayForge(text, forbidden)) return [];
  const views = viewsOf(text);
  const seen = candidatesOf(text, forbidden);
  const forged = pairsPlainly(lineShadow(text)) ? views.reduce(outsideOfCode, { seen, kept: [] }).kept : seen;
  const open = views.find((view) => view.open !== undefined)?.open;
  return open === undefined ? forged : [...forged, { what: "open-fence", at: open, level: 0 }];
}

/** A line that is blank to one reader is the end of a title to another: whatever anyone may take for a heading is one. */
function candidatesOf(text: string, forbidden: Forbidden): Forgery[] {
  const shadows = shadowsOf(text);
  if (shadows.length === 1) return candidates(shadows[0] as string, forbidden);
  const all = shadows.flatMap((shadow) => candidates(shadow, forbidden));
  return [...new Map(all.map((one) => [one.at, one])).values()].sort((a, b) => a.at - b.at);
}

/** One reader after the other says which of the candidates are no code to it. */
function outsideOfCode({ seen, kept }: { seen: Forgery[]; kept: Forgery[] }, { code }: View) {
  const inside: Forgery[] = [];
  const outside: Forgery[] = [];
  let next = 0;
  for (const forgery of seen) {
    while (next < code.length && (code[next] as Code).to <= forgery.at) next++;
    const range = code[next];
    (range && range.from < forgery.at ? inside : outside).push(forgery);
  }
  return { seen: inside, kept: [...kept, ...outside].sort((a, b) => a.at - b.at) };
}

/** Where backslashes must go, and the line that closes an open fence. */
export type Mending = { readonly places: readonly number[]; readonly closing: string };

/**
 * What makes a text inert: a backslash before every forged heading and separator, an open fence closed.
 *
 * Where readers disagree on which fence is one, closing it might open another: then none of them is. That can bring what
 * was code to light, so this looks again until nothing is found; each line is escaped once at most, so it ends.
 */
export function mending(text: string, forbidden: Forbidden): Mending {
  let places: number[] = [];
  for (;;) {
    const words = insertBackslashes(text, places);
    const found = forgeries(words, forbidden);
    const forged = found.filter((forgery) => forgery.what !== "open-fence").map((forgery) => forgery.at);
    const opens = new Set(forged.length === found.length ? [] : viewsOf(words).map(({ open }) => open));
    const doubtful = opens.size > 1 || (opens.size === 1 && !pairsPlainly(lineShadow(words)));
    const more = forged.length === 0 && doubtful ? fenceLines(lineShadow(words)) : forged;
    if (more.length === 0) return { places, closing: opens.size === 1 ? closingFence(words, [...opens][0] ?? 0) : "" };
    places = [...places, ...originalIndices(more, places)].sort((a, b) => a - b);
  }
}

function fenceLines(shadow: string): number[] {
  return [...shadow.matchAll(/^((?:[ \t]|>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*)(?:`{3}|~{3})/gm)].map(
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
