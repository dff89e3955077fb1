import type { CodeBlock } from "./code-block.ts";
import { codeSpans, createCursor, stretchIn } from "./code-span.ts";
import type { LineCuts } from "./line.ts";

/** A footnote's name and what it says, or a link's name and address, perhaps with a title: nothing else defines one. */
const name = "\\[(?:[^\\]]*|(?:\\\\.|[^\\]\\\\])*)\\]:";
const footnote = /^\[\^[^\]]+\]:/;
const link = new RegExp(`^${name}[ \\t]*(?:(?:<[^>]*>|\\S+)[ \\t]*(?:["'(|].*)?)?$`);
/** The `]` that ends a name: to some any, to others one without a backslash before it. */
const anyEnd = /\]/g;
const plainEnd = /(?<!(?<!\\)(?:\\\\)*\\)\]/g;

/**
 * Does a definition of a link or a footnote begin at a place, each farther than the last asked for, that opens a block on
 * the line which ends at `end`?
 *
 * A link's is taken out of the text, by some with the blank lines after it: what stands above it is then the title of a
 * rule below. A footnote's is put at the end, outside the quotation it stood in and behind a rule. A name may run over lines.
 */
export function createDefinitions(text: string): (at: number, end: number) => boolean {
  const nextEnds = [createNext(text, anyEnd), createNext(text, plainEnd)];
  return (at, end) => {
    if (text[at] !== "[") return false;
    const line = text.slice(at, end);
    if (footnote.test(line) || link.test(line)) return true;
    return nextEnds.some((next) => next(at) > end && text[next(at) + 1] === ":");
  };
}

/** Where a pattern is found next after a place, each farther than the last; past the end where it is not. */
function createNext(text: string, pattern: RegExp): (at: number) => number {
  let known = -1;
  return (at) => {
    if (known < at) {
      pattern.lastIndex = at;
      known = pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY;
    }
    return known;
  };
}

/** Where footnotes within a line begin, `^[so]`, outside code that every reader sees. */
export function notesInLines(text: string, cuts: LineCuts, code: readonly CodeBlock[], underTag: boolean): number[] {
  if (!text.includes("^[")) return [];
  const inCode = createCursor(code.map(stretchIn(cuts)));
  const inSpan = createCursor(codeSpans(text, cuts, code, underTag));
  return Array.from(text.matchAll(/(?<!(?<!\\)(?:\\\\)*\\)\^(?=\[)/g), ({ index }) => index).filter(
    (at) => !inCode(at) && !inSpan(at),
  );
}
