import { before, blank, type LineCuts, lineCuts, lineEnds, lineKey, meaning, space } from "./character.ts";
import {
  type CodeBlock,
  codeSpans,
  createCursor,
  createDefinitions,
  notesInLines,
  type Place,
  plainBlocks,
  stretchIn,
} from "./code.ts";
import type { ForbiddenStructure } from "./structure.ts";

/** The places found in a text, in order, and the line that closes a fence left open at its end. */
export type ForgeryPlaces = { readonly places: readonly Place[]; readonly closing: string };

const nowhere: ForgeryPlaces = { places: [], closing: "" };

/**
 * Characters without which a text holds no structure (a colon that begins something aside), so that most texts need no closer
 * look.
 */
const suspicious = new RegExp(
  `\\]:|[#=\`~<^\\uFF1C\\uFE64\\r\\v\\f\\x1C-\\x1E\\x85\\u2028\\u2029\\u2424]|[-*_]${space}*$`,
  "m",
);

const aloneColon = new RegExp(`(?:^|>|${space}):(?=${space}|$)`);

export function mayForge(text: string, { lines, free }: ForbiddenStructure): boolean {
  return !free && (lines.size > 0 || suspicious.test(text) || aloneColon.test(text));
}

/**
 * Finds every place in a text that any reader could take for structure.
 *
 * It does not ask what a text means: readers of Markdown and HTML disagree, and a model may be any of them. A line that could be
 * a heading, a rule or a fence in whatever list, quotation or HTML is one. Only code that all readers see alike is left alone.
 */
export function placesIn(text: string, forbidden: ForbiddenStructure): ForgeryPlaces {
  if (!mayForge(text, forbidden)) return nowhere;
  const known = newest.get(forbidden);
  if (known?.text === text) return known.found;
  const found = findPlaces(text, forbidden);
  newest.set(forbidden, { text, found });
  return found;
}

/** The newest result, since a guard, a verdict and a prompt look at the same words one after the other. */
const newest = new WeakMap<ForbiddenStructure, { readonly text: string; readonly found: ForgeryPlaces }>();

function findPlaces(text: string, forbidden: ForbiddenStructure): ForgeryPlaces {
  const cuts = lineCuts(text);
  const code = plainBlocks(text, cuts, forbidden.tags.size > 0);
  const places: Place[] = [...code.doubtful];
  const defines = createDefinitions(text);
  let next = 0;
  let above: Above = "unknown";
  for (let index = 0; index < cuts.starts.length; index++) {
    const block = code.blocks[next] as CodeBlock | undefined;
    if (block && index === block.first) {
      if (forbidden.lines.size > 0) for (const place of namedInCode(text, cuts, block, forbidden)) places.push(place);
      index = block.last;
      next++;
      above = block.sealed ? "nothing" : "words";
      continue;
    }
    const start = cuts.starts[index] as number;
    const line = text.slice(start, cuts.ends[index]);
    const open = openingOf(line);
    const place = linePlace(line, open, above, forbidden);
    if (place) places.push({ ...place, at: start + place.at });
    else if (isStructured(forbidden) && (isMeaning(line, open) || defines(start + open, start + line.length)))
      places.push({ what: "definition", at: start + open, certainty: "maybe" });
    if (line.includes(">"))
      for (const one of placesAfterTags(line, forbidden)) places.push({ ...one, at: start + one.at });
    above = cuts.plain[index] && blank.test(line) ? "nothing" : "words";
  }
  if (isStructured(forbidden))
    for (const at of notesInLines(text, cuts, code.blocks, forbidden.tags.size > 0))
      places.push({ what: "definition", at, certainty: "maybe" });
  if (text.includes("<") || forbidden.tags.size > 0)
    for (const place of markupPlaces(text, cuts, code.blocks, forbidden)) places.push(place);
  return { places: inOrder(places), closing: code.closing };
}

/** Finds the charter's own lines inside a code block: a reader who searches for those lines need not know what code is. */
function namedInCode(
  text: string,
  { starts, ends }: LineCuts,
  { first, last }: CodeBlock,
  forbidden: ForbiddenStructure,
): Place[] {
  return starts.slice(first, last + 1).flatMap((start, index) => {
    const place = namedPlace(text.slice(start, ends[first + index]), 0, forbidden);
    return place ? [{ ...place, at: start + place.at }] : [];
  });
}

/** Sorts the places; of two at the same index the surer stays. */
function inOrder(places: Place[]): Place[] {
  const weight = { sure: 0, hides: 1, maybe: 2 };
  places.sort((one, other) => one.at - other.at || weight[one.certainty] - weight[other.certainty]);
  return places.filter((place, index) => place.at !== places[index - 1]?.at);
}

const beforeBlock = new RegExp(before, "y");
const anyMeaning = new RegExp(meaning, "y");
const onlyBefore = new RegExp(`^${before}$`);
/** Marks that CommonMark allows before a block: a heading behind them is one to every reader. */
const plainBefore = /^(?:[ \t]|>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*$/;
const anySpace = new RegExp(space);
const blankRest = new RegExp(`^(?:${space}|#)*$`);
/** A tag or comment that ends in the middle of a line: some readers begin a new line after it. */
const afterTag = new RegExp(`>${space}*(?=#|[-*_]{3}|[-*_] )`, "g");

/**
 * The text above a line: whether it could be the title of the line below it. Above the first line that is unknown: it may be the
 * section's own heading.
 */
type Above = "unknown" | "words" | "nothing";

/** Tells whether a line is a term's meaning, which makes a term of the line above it, even of the section's own heading. */
function isMeaning(line: string, open: number): boolean {
  anyMeaning.lastIndex = open;
  return anyMeaning.test(line);
}

/** Returns where the first block of a line begins, behind the marks of quotations and items. */
export function openingOf(line: string): number {
  beforeBlock.lastIndex = 0;
  return beforeBlock.exec(line)?.[0].length ?? 0;
}

/** Tells whether there is structure that words could pass for; if not, only what hides the following text is looked for. */
function isStructured({ level, rules, lines, tags }: ForbiddenStructure): boolean {
  return level > 0 || rules || lines.size > 0 || tags.size > 0;
}

function linePlace(line: string, open: number, above: Above, forbidden: ForbiddenStructure): Place | undefined {
  const place =
    headingPlace(line, open, forbidden) ?? rulePlace(line, forbidden) ?? underlinePlace(line, above, forbidden);
  if (place) return place;
  return forbidden.lines.size > 0 ? namedPlace(line, open, forbidden) : undefined;
}

/** Finds places behind each tag that ends in a line, since some readers begin a new line there. */
function placesAfterTags(line: string, forbidden: ForbiddenStructure): Place[] {
  const { at, count } = signsAtEnd(line, "-*_", true);
  const places: Place[] = [];
  for (const { index, 0: mark } of line.matchAll(afterTag)) {
    const from = index + mark.length;
    if (isHigh(line, from, forbidden)) places.push({ what: "heading", at: from, certainty: "maybe" });
    const ruled =
      forbidden.rules && count > 2 && at >= from && at - from < 100 && onlyBefore.test(line.slice(from, at));
    if (ruled) places.push({ what: "separator", at, certainty: "maybe" });
  }
  return places;
}

/** Finds a heading that begins with `#`. */
function headingPlace(line: string, at: number, forbidden: ForbiddenStructure): Place | undefined {
  if (!isHigh(line, at, forbidden)) return undefined;
  const count = signsFrom(line, at);
  const plain = count <= Math.min(forbidden.level, 6) && /^(?:[ \t]|$)/.test(line.slice(at + count));
  return { what: "heading", at, certainty: plain && plainBefore.test(line.slice(0, at)) ? "sure" : "maybe" };
}

/**
 * Tells whether a heading here is forbidden. Some readers take a run of `#` that stands alone for one level higher, with the last
 * sign as its title.
 */
function isHigh(line: string, at: number, { level }: ForbiddenStructure): boolean {
  if (line[at] !== "#" || level === 0) return false;
  const count = signsFrom(line, at);
  return Math.min(blankRest.test(line.slice(at + count)) ? Math.max(1, count - 1) : count, 6) <= level;
}

function signsFrom(line: string, at: number): number {
  let end = at;
  while (line[end] === "#") end++;
  return end - at;
}

function rulePlace(line: string, { rules }: ForbiddenStructure): Place | undefined {
  if (!rules) return undefined;
  const { at, count } = signsAtEnd(line, "-*_", true);
  const lead = line.slice(0, at);
  if (count < 3 || !onlyBefore.test(lead)) return undefined;
  const sure = plainBefore.test(lead) && /^[-*_ \t]*$/.test(line.slice(at));
  return { what: "separator", at, certainty: sure ? "sure" : "maybe" };
}

/** Finds a line that makes the one above it a heading. */
function underlinePlace(line: string, above: Above, { level }: ForbiddenStructure): Place | undefined {
  if (above === "nothing" || (level === 0 && above !== "unknown")) return undefined;
  const { at, count } = signsAtEnd(line, "=-", false);
  const lead = line.slice(0, at);
  const high = (line[at] === "=" ? 1 : 2) <= level;
  if (count === 0 || !(high || above === "unknown") || !onlyBefore.test(lead)) return undefined;
  const sure = high && count > 1 && plainBefore.test(lead) && /^[=-]+[ \t]*$/.test(line.slice(at));
  return { what: "heading", at, certainty: sure ? "sure" : "maybe" };
}

/** Finds a line by which the charter opens, closes or parts sections. */
function namedPlace(line: string, open: number, { lines }: ForbiddenStructure): Place | undefined {
  const whole = lineKey(line);
  if (whole === "") return undefined;
  const at = line.length - line.trimStart().length;
  if (lines.has(whole)) return { what: "line", at, certainty: "sure" };
  return open > at && lines.has(lineKey(line.slice(open))) ? { what: "line", at: open, certainty: "maybe" } : undefined;
}

/** Finds the run of one sign, perhaps with white space between, that ends a line: where it begins, and how many there are. */
function signsAtEnd(line: string, signs: string, spaced: boolean): { readonly at: number; readonly count: number } {
  let last = line.length - 1;
  while (last >= 0 && isSpace(line, last)) last--;
  const sign = line[last] ?? "";
  let [at, count] = [last, 0];
  for (let index = last; index >= 0 && sign !== "" && signs.includes(sign); index--) {
    if (line[index] === sign) [at, count] = [index, count + 1];
    else if (!spaced || !isSpace(line, index)) break;
  }
  return { at, count };
}

function isSpace(line: string, index: number): boolean {
  const unit = line.charCodeAt(index);
  return unit === 32 || unit === 9 || ((unit < 32 || unit > 126) && anySpace.test(line[index] as string));
}

/** Elements that make what follows no text of the page. They are plain only when opened and closed on one line. */
const hiding = new Set(
  "script style textarea title xmp plaintext listing template iframe noembed noframes noscript frameset pre select option optgroup code tt kbd samp".split(
    " ",
  ),
);
/** Elements among them that change how the following text looks, and hide it from few readers. */
const mild = new Set("select option optgroup code tt kbd samp".split(" "));
/** Elements that some readers extend to their end tag, wherever that is. */
const blocks = new Set(
  "div blockquote table dl ol ul form fieldset math svg section header footer nav article aside address audio canvas figure hgroup output video p center details dialog main menu object button a b big em font i nobr s small strike strong u".split(
    " ",
  ),
);
/** Elements whose end tag may be left out, except where sections are tags themselves. */
const lenient = new Set(
  "li dt dd tr td th tbody thead tfoot caption colgroup summary legend figcaption dir body html head".split(" "),
);

const heading = /^h[1-6]$/;

/**
 * A `<` and the tag it begins. `seen`: some reader takes it for markup where it stands; if not, it only counts for some when tags
 * are paired.
 */
type Tag = { readonly at: number; readonly name: string; readonly closes: boolean; readonly seen: boolean };

const tagStart = /[<\uFF1C\uFE64]/g;
const tagName = new RegExp(`(${space}*)(?:(/)(${space}*))?([A-Za-z][\\w:.-]*)`, "y");
/** The stem by which a tag is compared with the charter's own: `goals` in `<goals-2>` too. */
const baseName = /^[a-z0-9_]+/;

/** Finds every place in a text where markup could pass for structure, or is not plainly closed. */
export function markupPlaces(
  text: string,
  cuts: LineCuts,
  code: readonly CodeBlock[],
  forbidden: ForbiddenStructure,
): readonly Place[] {
  const places: Place[] = [];
  const events = new Map<string, Tag[]>();
  const inCode = createCursor(code.map(stretchIn(cuts)));
  const deep = createCursor(code.filter(({ indent }) => indent > 3).map(stretchIn(cuts)));
  const inSpan = createCursor(codeSpans(text, cuts, code, forbidden.tags.size > 0));
  const lastEnd = createLastEnds(text);
  const reaches = createReaches(text);
  let skipTo = 0;
  for (const { index: at } of text.matchAll(tagStart)) {
    tagName.lastIndex = at + 1;
    const [, wide = "", slash = "", wider = "", written = ""] = tagName.exec(text) ?? [];
    const name = written.toLowerCase();
    if (forbidden.tags.size > 0 && isOwn(plainName(text, at), forbidden)) {
      places.push({ what: "tag", at, certainty: "sure" });
      continue;
    }
    const [blocked, deeper] = [inCode(at), deep(at)];
    const spanned = inSpan(at);
    if (at < skipTo || text[at] !== "<" || wide !== "" || (blocked && !deeper)) continue;
    if (name === "" && !/[!?%/]/.test(text[at + 1] ?? "")) continue;
    const seen = !spanned && !deeper;
    if (name === "" || wider !== "") {
      if (!seen) continue;
      const end = declarationEnd(text, at);
      if (end === undefined) places.push({ what: "markup", at, certainty: reaches(at) ? "maybe" : "hides" });
      else skipTo = end;
      continue;
    }
    if (name === "code" || (hiding.has(name) && seen)) {
      const end = closedOnLine(text, at);
      if (end !== undefined) skipTo = end;
      else if (slash === "")
        places.push({ what: "markup", at, certainty: mild.has(name) || lastEnd(name) > at ? "maybe" : "hides" });
      else if (name === "code") places.push({ what: "markup", at, certainty: "maybe" });
      continue;
    }
    if (heading.test(name) || name === "hr") {
      const counts = name === "hr" ? forbidden.rules : Number(name[1]) <= forbidden.level;
      if (seen && counts) places.push({ what: name === "hr" ? "separator" : "heading", at, certainty: "sure" });
      if (counts || name === "hr") continue;
    }
    if (seen && !endsPlainly(text, at)) {
      places.push({ what: "markup", at, certainty: beginsLine(text, at) && !reaches(at) ? "hides" : "maybe" });
      continue;
    }
    if (blocks.has(name) || heading.test(name) || (forbidden.tags.size > 0 && lenient.has(name))) {
      const known = events.get(name);
      const tag = { at, name, closes: slash !== "", seen };
      if (known) known.push(tag);
      else events.set(name, [tag]);
    }
  }
  for (const tags of events.values())
    if (!isBalanced(tags))
      for (const { at, seen } of tags) if (seen) places.push({ what: "markup", at, certainty: "maybe" });
  return places.sort((one, other) => one.at - other.at);
}

const unseen = new RegExp(`(?!\\s)${space}`, "g");
/** Characters that could be a name or become one: no white space, and no ASCII sign that occurs in none. */
const nameLike = /[^\s!-,/;-@[-^`{-~]{0,200}/y;
const ascii = /^[!-~]*$/;

/** Returns the name after a `<` of any width, normalised for comparing: any case, any width, without invisible characters. */
function plainName(text: string, at: number): string {
  ahead.lastIndex = at + 1;
  nameLike.lastIndex = at + 1 + (ahead.exec(text)?.[0].length ?? 0);
  const [written = ""] = nameLike.exec(text) ?? [];
  const words = ascii.test(written) ? written : written.replace(unseen, "").normalize("NFKC");
  return /^[a-z][\w:.-]*/.exec(words.toLowerCase())?.[0] ?? "";
}

const ahead = new RegExp(`${space}*(?:[/\\uFF0F]${space}*)?`, "y");

function isOwn(name: string, { tags }: ForbiddenStructure): boolean {
  return name !== "" && (tags.has(name) || tags.has(baseName.exec(name)?.[0] ?? ""));
}

/** Characters that may stand inside something on one line. */
const inLine = `[^<>${lineEnds}]`;
/** A comment, a declaration or an instruction on one line that ends at the same sign for all. */
const declaration = new RegExp(
  `<(?:!--(?!-?>)(?:[^<>${lineEnds}-]|-(?!-))*-->|\\?${inLine}*\\?>|%${inLine}*%>` +
    `|!\\[CDATA\\[[^<>\\]${lineEnds}]*\\]\\]>|!(?!--|\\[)${inLine}*>|/${inLine}*>)`,
  "y",
);

function declarationEnd(text: string, at: number): number | undefined {
  declaration.lastIndex = at;
  return declaration.test(text) ? declaration.lastIndex : undefined;
}

/** Signs that end something that begins so; anything else ends at a `>`. */
const ends: readonly [opening: string, end: string][] = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<?", "?>"],
  ["<%", "%>"],
];

/**
 * Makes a function that tells whether what begins at a `<` ends anywhere within the length of a tag. Each place asked for must be
 * farther than the last.
 */
function createReaches(text: string): (at: number) => boolean {
  const next = new Map<string, number>();
  return (at) => {
    const [opening, end] = ends.find(([one]) => text.startsWith(one, at)) ?? ["<", ">"];
    const from = at + opening.length;
    let known = next.get(end) ?? -1;
    if (known < from) {
      known = text.indexOf(end, from);
      next.set(end, known === -1 ? Number.POSITIVE_INFINITY : known);
    }
    return known >= from && known - at <= (end === ">" ? maxTagLength : Number.MAX_SAFE_INTEGER);
  };
}

const inTag = `[^<>\`${lineEnds}]`;
const onLine = new RegExp(`<([A-Za-z]+)(?:[ \\t]${inTag}*)?>${inTag}*</\\1[ \\t]*>`, "iy");

function closedOnLine(text: string, at: number): number | undefined {
  onLine.lastIndex = at;
  const [whole] = onLine.exec(text) ?? [];
  return whole === undefined ? undefined : at + whole.length;
}

/** Makes a function that finds the last end tag of an element. */
function createLastEnds(text: string): (name: string) => number {
  const known = new Map<string, number>();
  return (name) => {
    let last = known.get(name);
    if (last === undefined) {
      last = -1;
      for (const { index } of text.matchAll(new RegExp(`</${name}`, "gi"))) last = index;
      known.set(name, last);
    }
    return last;
  };
}

function beginsLine(text: string, at: number): boolean {
  return /(?:^|[\n\r])[ \t>]*$/.test(text.slice(Math.max(0, at - 20), at));
}

function isBalanced(tags: readonly Tag[]): boolean {
  let depth = 0;
  for (const { closes } of tags) {
    depth += closes ? -1 : 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** Maximum length of a tag, in characters; a longer one is not plainly a tag. */
const maxTagLength = 1000;
const value = (quote: string) => `${quote}[^<>${quote}${lineEnds}]*${quote}`;
const plainTag = new RegExp(`<(?:[^<>=${lineEnds}]|=[ \\t]*(?:${value('"')}|${value("'")}|(?![ \\t"'])))*>`, "y");

/** Tells whether a tag ends plainly: on its line, at the first `>` there is, which no quoted value hides from any reader. */
function endsPlainly(text: string, at: number): boolean {
  plainTag.lastIndex = at;
  return plainTag.test(text) && plainTag.lastIndex - at <= maxTagLength + 1;
}
