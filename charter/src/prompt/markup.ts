import type { CodeBlock } from "./code-block.ts";
import { codeSpans } from "./code-span.ts";
import { anyLineEnd, type LineCuts, lineEnds, space } from "./line.ts";
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
const tagName = new RegExp(`(${space}*)(/?)(${space}*)([A-Za-z][\\w:.-]*)`, "y");
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
  const stretch = ({ first, last }: CodeBlock) => [cuts.starts[first] as number, cuts.ends[last] as number] as const;
  const inCode = createCursor(code.map(stretch));
  const deep = createCursor(code.filter(({ indent }) => indent > 3).map(stretch));
  const inSpan = createCursor(codeSpans(text, cuts, code, forbidden.tags.size > 0));
  const lastEnd = createLastEnds(text);
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
      if (end === undefined) found.push({ what: "markup", at, certainty: "hides" });
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
      found.push({ what: "markup", at, certainty: beginsLine(text, at) ? "hides" : "maybe" });
      continue;
    }
    if (blocks.has(name) || heading.test(name) || (forbidden.tags.size > 0 && lenient.has(name))) {
      const known = events.get(name);
      const tag = { at, name, closes: slash !== "", seen };
      if (known) known.push(tag);
      else events.set(name, [tag]);
    }
  }
  for (const tags of events.values()) if (!isBalanced(tags)) found.push(...unbalanced(tags));
  return found.sort((one, other) => one.at - other.at);
}

const unseen = new RegExp(`(?!\\s)${space}`, "g");

/** The name of what a `<` of any width begins, as it is compared: any case, any width, without what nobody sees. */
function plainName(text: string, at: number): string {
  ahead.lastIndex = at + 1;
  const from = at + 1 + (ahead.exec(text)?.[0].length ?? 0);
  const words = text.slice(from, from + 200).replace(unseen, "");
  return /^[a-z][\w:.-]*/.exec(words.normalize("NFKC").toLowerCase())?.[0] ?? "";
}

const ahead = new RegExp(`${space}*(?:[/\\uFF0F]${space}*)?`, "y");

function isOwn(name: string, { tags }: ForbiddenStructure): boolean {
  return name !== "" && (tags.has(name) || tags.has(baseName.exec(name)?.[0] ?? ""));
}

/** All that may stand inside something on one line. */
const inLine = `[^<>${lineEnds}]`;
/** A comment, a declaration or an instruction that ends plainly: where. */
const comment = /<!--(?!-?>)(?:[^<>-]|-(?!-))*-->/y;
const declaration = new RegExp(
  `<(?:\\?${inLine}*\\?>|%${inLine}*%>|!\\[CDATA\\[${inLine}*\\]\\]>|!(?!--|\\[)${inLine}*>|/${inLine}*>)`,
  "y",
);

function declarationEnd(text: string, at: number): number | undefined {
  for (const plain of [comment, declaration]) {
    plain.lastIndex = at;
    const [whole] = plain.exec(text) ?? [];
    if (whole === undefined) continue;
    return !anyEnd.test(whole) || spansLinesPlainly(text, at, whole) ? at + whole.length : undefined;
  }
  return undefined;
}

/** A comment of several lines is one to all where it begins its line, and a paragraph if it holds blank lines. */
function spansLinesPlainly(text: string, at: number, whole: string): boolean {
  if (/```|~~~/.test(whole) || oddEnd.test(whole)) return false;
  const above = /(?:^|(\n[ \t]*)?\n) {0,3}$/.exec(text.slice(Math.max(0, at - 200), at));
  if (!above) return false;
  return !/\n[ \t]*\r?\n/.test(whole) || above[1] !== undefined || at < 4;
}

const oddEnd = new RegExp(`\\r(?!\\n)|[${lineEnds.replace("\\n\\r", "")}]`);
const anyEnd = new RegExp(anyLineEnd.source);
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

function unbalanced(tags: readonly Tag[]): Place[] {
  return tags.filter(({ seen }) => seen).map(({ at }) => ({ what: "markup", at, certainty: "maybe" }));
}

/** How far a tag may reach, in characters and lines, and still be plainly one. */
const longestTag = 1000;
const maxLines = 20;

const valueOrEnd = new RegExp(`=[ \\t]*(["'])|>|\\r\\n|[${lineEnds}]`, "g");
/** A line that could be nothing but the rest of a tag: no blank one, no mark of a block before it. */
const goesOn = new RegExp(`(?=[ \\t]*[^\\s>#=\`~<+*-])(?![ \\t]*\\d+[.)])(?!${space}*(?:${anyLineEnd.source}))`, "y");

/** Does a tag end plainly, by the rules of HTML: at a `>` outside a quoted value, and no value runs over a line? */
function endsPlainly(text: string, at: number): boolean {
  let lines = 0;
  valueOrEnd.lastIndex = at;
  for (let found = valueOrEnd.exec(text); found && found.index - at <= longestTag; found = valueOrEnd.exec(text)) {
    const [mark, quote] = found;
    if (mark === ">") return true;
    if (quote === undefined) {
      goesOn.lastIndex = valueOrEnd.lastIndex;
      if (!mark.endsWith("\n") || ++lines === maxLines || !goesOn.test(text)) return false;
    } else {
      const value = quote === '"' ? doubleQuoted : singleQuoted;
      value.lastIndex = valueOrEnd.lastIndex;
      if (!value.test(text)) return false;
      valueOrEnd.lastIndex = value.lastIndex;
    }
  }
  return false;
}

const doubleQuoted = new RegExp(`[^"${lineEnds}]{0,1000}"`, "y");
const singleQuoted = new RegExp(`[^'${lineEnds}]{0,1000}'`, "y");

/** Is an index, each greater than the last asked for, inside one of the stretches? */
function createCursor(stretches: readonly (readonly [number, number])[]): (at: number) => boolean {
  let next = 0;
  return (at) => {
    while (next < stretches.length && (stretches[next]?.[1] as number) <= at) next++;
    return next < stretches.length && (stretches[next]?.[0] as number) <= at;
  };
}
