import type { CodeBlock } from "./code-block.ts";
import { codeSpans, createCursor, stretchIn } from "./code-span.ts";
import { type LineCuts, lineEnds, space } from "./line.ts";
import type { Place } from "./place.ts";
import type { ForbiddenStructure } from "./structure.ts";

/** Elements in which what follows is no text of the page any more. Plain only when opened and closed on one line. */
const hiding = new Set(
  "script style textarea title xmp plaintext listing template iframe noembed noframes noscript frameset pre select option optgroup code tt kbd samp".split(
    " ",
  ),
);
/** Those of them that change how what follows looks, and hide it from few. */
const mild = new Set("select option optgroup code tt kbd samp".split(" "));
/** Elements that some readers take up to their end, wherever that is. */
const blocks = new Set(
  "div blockquote table dl ol ul form fieldset math svg section header footer nav article aside address audio canvas figure hgroup output video p center details dialog main menu object button a b big em font i nobr s small strike strong u".split(
    " ",
  ),
);
/** Elements whose end may be left out. Where sections are tags themselves, it may not. */
const lenient = new Set(
  "li dt dd tr td th tbody thead tfoot caption colgroup summary legend figcaption dir body html head".split(" "),
);

const heading = /^h[1-6]$/;

/** One `<` and what it begins. `seen`: some reader takes it for markup where it stands; else it only counts for some. */
type Tag = { readonly at: number; readonly name: string; readonly closes: boolean; readonly seen: boolean };

const tagStart = /[<\uFF1C\uFE64]/g;
const tagName = new RegExp(`(${space}*)(?:(/)(${space}*))?([A-Za-z][\\w:.-]*)`, "y");
/** What the charter's own tags are compared by: `goals` in `<goals-2>` too. */
const baseName = /^[a-z0-9_]+/;

/** Every place in a text where markup could pass for structure, or is not plainly closed. */
export function markupPlaces(
  text: string,
  cuts: LineCuts,
  code: readonly CodeBlock[],
  forbidden: ForbiddenStructure,
): readonly Place[] {
  const found: Place[] = [];
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
      found.push({ what: "tag", at, certainty: "sure" });
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
      if (end === undefined) found.push({ what: "markup", at, certainty: reaches(at) ? "maybe" : "hides" });
      else skipTo = end;
      continue;
    }
    if (name === "code" || (hiding.has(name) && seen)) {
      const end = closedOnLine(text, at);
      if (end !== undefined) skipTo = end;
      else if (slash === "")
        found.push({ what: "markup", at, certainty: mild.has(name) || lastEnd(name) > at ? "maybe" : "hides" });
      else if (name === "code") found.push({ what: "markup", at, certainty: "maybe" });
      continue;
    }
    if (heading.test(name) || name === "hr") {
      const counts = name === "hr" ? forbidden.rules : Number(name[1]) <= forbidden.level;
      if (seen && counts) found.push({ what: name === "hr" ? "separator" : "heading", at, certainty: "sure" });
      if (counts || name === "hr") continue;
    }
    if (seen && !endsPlainly(text, at)) {
      found.push({ what: "markup", at, certainty: beginsLine(text, at) && !reaches(at) ? "hides" : "maybe" });
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
      for (const { at, seen } of tags) if (seen) found.push({ what: "markup", at, certainty: "maybe" });
  return found.sort((one, other) => one.at - other.at);
}

const unseen = new RegExp(`(?!\\s)${space}`, "g");
/** All that could be a name, or become one: no white space, and no sign of ASCII that is in none. */
const nameLike = /[^\s!-,/;-@[-^`{-~]{0,200}/y;
const ascii = /^[!-~]*$/;

/** The name of what a `<` of any width begins, as it is compared: any case, any width, without what nobody sees. */
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

/** All that may stand inside something on one line. */
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

/** What ends that which begins so; anything else ends at a `>`. */
const ends: readonly [opening: string, end: string][] = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<?", "?>"],
  ["<%", "%>"],
];

/** Does what begins at a `<`, each farther than the last asked for, end somewhere, as far as a tag may reach? */
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
    return known >= from && known - at <= (end === ">" ? longestTag : Number.MAX_SAFE_INTEGER);
  };
}

const inTag = `[^<>\`${lineEnds}]`;
const onLine = new RegExp(`<([A-Za-z]+)(?:[ \\t]${inTag}*)?>${inTag}*</\\1[ \\t]*>`, "iy");

function closedOnLine(text: string, at: number): number | undefined {
  onLine.lastIndex = at;
  const [whole] = onLine.exec(text) ?? [];
  return whole === undefined ? undefined : at + whole.length;
}

/** Where the last of each element's ends is. */
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

/** A tag that is longer, in characters, is not plainly one. */
const longestTag = 1000;
const value = (quote: string) => `${quote}[^<>${quote}${lineEnds}]*${quote}`;
const plainTag = new RegExp(`<(?:[^<>=${lineEnds}]|=[ \\t]*(?:${value('"')}|${value("'")}|(?![ \\t"'])))*>`, "y");

/** Does a tag end plainly: on its line, at a `>` that is the first of all, and that no quoted value hides from anybody? */
function endsPlainly(text: string, at: number): boolean {
  plainTag.lastIndex = at;
  return plainTag.test(text) && plainTag.lastIndex - at <= longestTag + 1;
}
