import { type CodeBlock, plainBlocks } from "./code-block.ts";
import { createDefinitions, notesInLines } from "./definition.ts";
import { before, blank, type LineCuts, lineCuts, lineKey, meaning, space } from "./line.ts";
import { markupPlaces } from "./markup.ts";
import type { Place } from "./place.ts";
import type { ForbiddenStructure } from "./structure.ts";

/** Every place in a text, in order, and the line that closes a fence left open at its end. */
export type ForgeryPlaces = { readonly places: readonly Place[]; readonly closing: string };

const nowhere: ForgeryPlaces = { places: [], closing: "" };

/** Only a text with one of these can hold structure, or with a colon that begins something: most need no closer look. */
const suspicious = new RegExp(
  `\\]:|[#=\`~<^\\uFF1C\\uFE64\\r\\v\\f\\x1C-\\x1E\\x85\\u2028\\u2029\\u2424]|[-*_]${space}*$`,
  "m",
);

const aloneColon = new RegExp(`(?:^|>|${space}):(?=${space}|$)`);

export function mayForge(text: string, { lines, free }: ForbiddenStructure): boolean {
  return !free && (lines.size > 0 || suspicious.test(text) || aloneColon.test(text));
}

/**
 * Every place in a text that any reader could take for structure.
 *
 * It does not ask what a text means: readers of Markdown and HTML disagree, and a model may be any of them. A line that
 * could be a heading, a rule or a fence in whatever list, quotation or HTML is one. Only code that all readers see alike is
 * left alone.
 */
export function placesIn(text: string, forbidden: ForbiddenStructure): ForgeryPlaces {
  if (!mayForge(text, forbidden)) return nowhere;
  const known = newest.get(forbidden);
  if (known?.text === text) return known.found;
  const found = lookFor(text, forbidden);
  newest.set(forbidden, { text, found });
  return found;
}

/** A guard, a verdict and a prompt look at the same words one after the other. */
const newest = new WeakMap<ForbiddenStructure, { readonly text: string; readonly found: ForgeryPlaces }>();

function lookFor(text: string, forbidden: ForbiddenStructure): ForgeryPlaces {
  const cuts = lineCuts(text);
  const code = plainBlocks(text, cuts, forbidden.tags.size > 0);
  const found: Place[] = [...code.doubtful];
  const defines = createDefinitions(text);
  let next = 0;
  let above: Above = "unknown";
  for (let index = 0; index < cuts.starts.length; index++) {
    const block = code.blocks[next] as CodeBlock | undefined;
    if (block && index === block.first) {
      if (forbidden.lines.size > 0) for (const place of namedInCode(text, cuts, block, forbidden)) found.push(place);
      index = block.last;
      next++;
      above = block.sealed ? "nothing" : "words";
      continue;
    }
    const start = cuts.starts[index] as number;
    const line = text.slice(start, cuts.ends[index]);
    const open = openingOf(line);
    const place = linePlace(line, open, above, forbidden);
    if (place) found.push({ ...place, at: start + place.at });
    else if (isStructured(forbidden) && (isMeaning(line, open) || defines(start + open, start + line.length)))
      found.push({ what: "definition", at: start + open, certainty: "maybe" });
    if (line.includes(">"))
      for (const one of placesAfterTags(line, forbidden)) found.push({ ...one, at: start + one.at });
    above = cuts.plain[index] && blank.test(line) ? "nothing" : "words";
  }
  if (isStructured(forbidden))
    for (const at of notesInLines(text, cuts, code.blocks, forbidden.tags.size > 0))
      found.push({ what: "definition", at, certainty: "maybe" });
  if (text.includes("<") || forbidden.tags.size > 0)
    for (const place of markupPlaces(text, cuts, code.blocks, forbidden)) found.push(place);
  return { places: inOrder(found), closing: code.closing };
}

/** Who looks for the charter's lines need not know what code is. */
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

/** Two that fall together are one: the surer. */
function inOrder(found: Place[]): Place[] {
  const weight = { sure: 0, hides: 1, maybe: 2 };
  found.sort((one, other) => one.at - other.at || weight[one.certainty] - weight[other.certainty]);
  return found.filter((place, index) => place.at !== found[index - 1]?.at);
}

const beforeBlock = new RegExp(before, "y");
const anyMeaning = new RegExp(meaning, "y");
const onlyBefore = new RegExp(`^${before}$`);
/** What only CommonMark puts before a block: a heading behind it is one to all. */
const plainBefore = /^(?:[ \t]|>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*$/;
const anySpace = new RegExp(space);
const blankRest = new RegExp(`^(?:${space}|#)*$`);
/** A tag or comment that ends in the middle of a line: some readers begin a new line after it. */
const afterTag = new RegExp(`>${space}*(?=#|[-*_]{3}|[-*_] )`, "g");

/**
 * What stands above a line: what could be the title of the one below it, or not. Above the first it is not known: the
 * section's own heading, perhaps.
 */
type Above = "unknown" | "words" | "nothing";

/** A term's meaning makes a term of the line above it, be it the section's own heading. */
function isMeaning(line: string, open: number): boolean {
  anyMeaning.lastIndex = open;
  return anyMeaning.test(line);
}

/** Where the first block of a line begins, behind the marks of quotations and items. */
export function openingOf(line: string): number {
  beforeBlock.lastIndex = 0;
  return beforeBlock.exec(line)?.[0].length ?? 0;
}

/** Is there anything that words could pass for? Else only what hides what follows is looked for. */
function isStructured({ level, rules, lines, tags }: ForbiddenStructure): boolean {
  return level > 0 || rules || lines.size > 0 || tags.size > 0;
}

function linePlace(line: string, open: number, above: Above, forbidden: ForbiddenStructure): Place | undefined {
  const place =
    headingPlace(line, open, forbidden) ?? rulePlace(line, forbidden) ?? underlinePlace(line, above, forbidden);
  if (place) return place;
  return forbidden.lines.size > 0 ? namedPlace(line, open, forbidden) : undefined;
}

/** Each tag that ends in a line may begin another line. */
function placesAfterTags(line: string, forbidden: ForbiddenStructure): Place[] {
  const { at, count } = signsAtEnd(line, "-*_", true);
  const found: Place[] = [];
  for (const { index, 0: mark } of line.matchAll(afterTag)) {
    const from = index + mark.length;
    if (isHigh(line, from, forbidden)) found.push({ what: "heading", at: from, certainty: "maybe" });
    const ruled =
      forbidden.rules && count > 2 && at >= from && at - from < 100 && onlyBefore.test(line.slice(from, at));
    if (ruled) found.push({ what: "separator", at, certainty: "maybe" });
  }
  return found;
}

/** `#` and its like. */
function headingPlace(line: string, at: number, forbidden: ForbiddenStructure): Place | undefined {
  if (!isHigh(line, at, forbidden)) return undefined;
  const count = signsFrom(line, at);
  const plain = count <= Math.min(forbidden.level, 6) && /^(?:[ \t]|$)/.test(line.slice(at + count));
  return { what: "heading", at, certainty: plain && plainBefore.test(line.slice(0, at)) ? "sure" : "maybe" };
}

/** Is it a heading that is forbidden? A run that stands alone is one level higher to some, and its title its last sign. */
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

/** A line that makes the one above it a heading. */
function underlinePlace(line: string, above: Above, { level }: ForbiddenStructure): Place | undefined {
  if (above === "nothing" || (level === 0 && above !== "unknown")) return undefined;
  const { at, count } = signsAtEnd(line, "=-", false);
  const lead = line.slice(0, at);
  const high = (line[at] === "=" ? 1 : 2) <= level;
  if (count === 0 || !(high || above === "unknown") || !onlyBefore.test(lead)) return undefined;
  const sure = high && count > 1 && plainBefore.test(lead) && /^[=-]+[ \t]*$/.test(line.slice(at));
  return { what: "heading", at, certainty: sure ? "sure" : "maybe" };
}

/** A line by which the charter opens, closes or parts sections. */
function namedPlace(line: string, open: number, { lines }: ForbiddenStructure): Place | undefined {
  const whole = lineKey(line);
  if (whole === "") return undefined;
  const at = line.length - line.trimStart().length;
  if (lines.has(whole)) return { what: "line", at, certainty: "sure" };
  return open > at && lines.has(lineKey(line.slice(open))) ? { what: "line", at: open, certainty: "maybe" } : undefined;
}

/** The end of a line, of nothing but one sign and perhaps white space between: where it begins, and how many there are. */
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
