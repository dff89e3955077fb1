import type { CodeBlock } from "./code-block.ts";
import { blank, type LineCuts } from "./line.ts";

/**
 * Code within a line that every reader sees alike: in a paragraph without HTML at the start of a line, without escaped
 * backticks, and where each run of backticks finds its like on its own line.
 */
export function codeSpans(
  text: string,
  cuts: LineCuts,
  code: readonly CodeBlock[],
  underTag: boolean,
): [number, number][] {
  const spans: [number, number][] = [];
  if (!text.includes("`")) return spans;
  let next = 0;
  let plain = !underTag;
  for (let index = 0; index < cuts.starts.length; index++) {
    if (code[next]?.first === index) {
      index = code[next]?.last as number;
      next++;
      plain = true;
      continue;
    }
    const start = cuts.starts[index] as number;
    const line = text.slice(start, cuts.ends[index]);
    if (cuts.plain[index] && blank.test(line)) plain = true;
    else if (plain) {
      const own = cuts.plain[index] && !/^[^A-Za-z`]*<|\\`|-->|\?>|%>|\]\]>/.test(line) ? spansOf(line) : undefined;
      if (own === undefined) plain = false;
      else for (const [from, to] of own) spans.push([start + from, start + to]);
    }
  }
  return spans;
}

function spansOf(line: string): [number, number][] | undefined {
  const spans: [number, number][] = [];
  const runs = [...line.matchAll(/`+/g)];
  for (let index = 0; index < runs.length; index += 2) {
    const [opens, closes] = [runs[index] as RegExpExecArray, runs[index + 1]];
    if (closes === undefined || closes[0].length !== opens[0].length) return undefined;
    spans.push([opens.index, closes.index + closes[0].length]);
  }
  return isOutsideTags(line, spans) ? spans : undefined;
}

/** No tag may begin before a span and reach into it: some readers would see the tag, and no span. */
function isOutsideTags(line: string, spans: readonly [number, number][]): boolean {
  return spans.every(([from], index) => {
    const ahead = line.slice(spans[index - 1]?.[1] ?? 0, from);
    return !/<[A-Za-z/!?%]/.test(ahead.slice(ahead.lastIndexOf(">") + 1));
  });
}

type Stretch = readonly [start: number, end: number];

/** From where to where blocks reach in a text of these lines. */
export function stretchIn({ starts, ends }: LineCuts): (block: CodeBlock) => Stretch {
  return ({ first, last }) => [starts[first] as number, ends[last] as number];
}

/** Is an index, each greater than the last asked for, inside one of the stretches? */
export function createCursor(stretches: readonly Stretch[]): (at: number) => boolean {
  let next = 0;
  return (at) => {
    while (next < stretches.length && (stretches[next]?.[1] as number) <= at) next++;
    return next < stretches.length && (stretches[next]?.[0] as number) <= at;
  };
}
