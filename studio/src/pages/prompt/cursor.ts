import { nextWord, type Stretch } from "./word/word.ts";

/** Where the keys lead from a word: to the next word, to the next line, to the next section. Nowhere for other keys. */
export function movedCursor(
  text: string,
  sections: readonly Stretch[],
  from: Stretch | undefined,
  key: string,
): Stretch | undefined {
  const step = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, Home: 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, End: -1 }[
    key
  ] as 1 | -1 | undefined;
  if (step === undefined) return undefined;
  if (key === "End") return seek(text, sections, sections.length - 1, undefined, -1);
  if (key === "Home" || from === undefined) return seek(text, sections, 0, undefined, 1);
  const at = sections.findIndex(({ start, end }) => from.start >= start && from.start < end);
  if (at === -1) return undefined;
  if (key.startsWith("Page")) return seek(text, sections, at + step, undefined, 1) ?? from;
  const edge = key === "ArrowLeft" || key === "ArrowRight" ? from : lineEdge(text, from, step);
  return seek(text, sections, at, edge, step, key === "ArrowUp") ?? from;
}

/** From a place in a section, else from its edge, over as many sections as have no word. */
function seek(
  text: string,
  sections: readonly Stretch[],
  first: number,
  from: Stretch | undefined,
  step: 1 | -1,
  lineStart = false,
): Stretch | undefined {
  let edge = from;
  for (let at = first; sections[at] !== undefined; at += step) {
    const bounds = sections[at] as Stretch;
    const start = edge ?? (step === 1 ? { start: 0, end: bounds.start } : { start: bounds.end, end: bounds.end });
    const word = nextWord(text, start, step, bounds);
    if (word) return lineStart ? firstOfLine(text, word, bounds) : word;
    edge = undefined;
  }
  return undefined;
}

function lineEdge(text: string, from: Stretch, step: 1 | -1): Stretch {
  const at = step === 1 ? text.indexOf("\n", from.end) : text.lastIndexOf("\n", from.start);
  if (at === -1) return step === 1 ? { start: text.length, end: text.length } : { start: 0, end: 0 };
  return { start: at, end: at };
}

function firstOfLine(text: string, word: Stretch, bounds: Stretch): Stretch {
  const start = Math.max(bounds.start, text.lastIndexOf("\n", word.start) + 1);
  return nextWord(text, { start, end: start }, 1, bounds) ?? word;
}
