import { before, blank, type LineCuts, lineCuts } from "./character.ts";

/**
 * Code between two fences that every reader sees alike: its first and last line, and its indent. `sealed`: to every reader the
 * block ends with its last fence. A longer fence, or one in a quotation or deep in a list, may leave some reader a line of words.
 */
export type CodeBlock = {
  readonly first: number;
  readonly last: number;
  readonly indent: number;
  readonly sealed: boolean;
};

type CodeBlocks = {
  readonly blocks: readonly CodeBlock[];
  readonly doubtful: readonly Place[];
  readonly closing: string;
};

const fenceLine = new RegExp(`^${before}(?=\`{3}|~{3})`);
const opening = /^((?:> )?)( *)(`{3,}|~{3,}) *[^\s`~]*$/;
const itemLine = /^( *)(?:[-*+]|\d{1,9}[.)])( {1,4})(?=\S)/;

/** A fence that opens a block. `lead`: what each line of the block begins with: spaces, or the mark of a quotation. */
type Fence = { readonly indent: number; readonly lead: string; readonly run: string };

/**
 * Finds the code blocks all readers agree on, and the fences that belong to none of them.
 *
 * A fence is believed where readers pair it alike: alone on its line with at most one plain word, closed by the same signs at the
 * same indent, with something between them and nothing there that leaves the indent or could close it earlier, and not directly
 * below HTML. Each other fence is made inert, which leaves the rest as plain as it was.
 */
export function plainBlocks(text: string, cuts: LineCuts, underTag: boolean): CodeBlocks {
  const blocks: CodeBlock[] = [];
  const doubtful: Place[] = [];
  if (!text.includes("```") && !text.includes("~~~")) return { blocks, doubtful, closing: "" };
  const lineAt = (index: number) => text.slice(cuts.starts[index], cuts.ends[index]);
  const items = createItems();
  const reach = createReach(cuts, lineAt);
  const hasLater = createRuns(text);
  let html = underTag;
  let closing = "";
  let odd: OddFence | undefined;
  for (let index = 0; index < cuts.starts.length; index++) {
    const line = lineAt(index);
    if (blank.test(line) && cuts.plain[index]) {
      html = false;
      items.blank();
      continue;
    }
    const at = fenceLine.exec(line)?.[0].length;
    if (at !== undefined && cuts.plain[index] && fillsItem(line, lineAt(index + 1))) items.loosen();
    else if (at !== undefined && !isSpan(line, at)) {
      const fence = cuts.plain[index] && !html && !closes(line, at, odd) ? fenceOf(line, items) : undefined;
      const last = fence ? closeOf(fence, index, reach(index), lineAt) : undefined;
      if (fence && last !== undefined && (last < cuts.starts.length || index + 1 < last)) {
        const { indent, lead, run } = fence;
        const end = Math.min(last, cuts.starts.length - 1);
        blocks.push({
          first: index,
          last: end,
          indent,
          sealed: indent <= 3 && lead.trim() === "" && lineAt(end).length <= indent + run.length,
        });
        if (last === cuts.starts.length) {
          closing = `\n${fence.run}`;
          doubtful.push({ what: "fence", at: (cuts.starts[index] as number) + at, certainty: "hides" });
        }
        index = last;
        continue;
      }
      const place = { what: "fence", at: (cuts.starts[index] as number) + at } as const;
      if (closes(line, at, odd)) {
        doubtful.push({ ...place, certainty: "maybe" });
        odd = undefined;
      } else {
        const [run = ""] = /^(?:`+|~+)/.exec(line.slice(at)) ?? [];
        doubtful.push({ ...place, certainty: hasLater(run, cuts.ends[index] as number) ? "maybe" : "hides" });
        odd = { at, run };
      }
    }
    html ||= /^[^A-Za-z]*</.test(line);
    items.line(line);
  }
  return { blocks, doubtful, closing };
}

/** The newest fence that is not believed: the next one like it closes it, and opens nothing. */
type OddFence = { readonly at: number; readonly run: string };

function closes(line: string, at: number, odd: OddFence | undefined): boolean {
  return odd !== undefined && at === odd.at && line.startsWith(odd.run, at) && /^(`+|~+)[ \t]*$/.test(line.slice(at));
}

/** Finds the place of a fence that nothing closes. */
export function openFence(text: string): number | undefined {
  return plainBlocks(text, lineCuts(text), false).doubtful.find(({ certainty }) => certainty === "hides")?.at;
}

/** Tells whether backticks are code within the line, not a fence: they are, to all readers, when more of them follow on it. */
function isSpan(line: string, at: number): boolean {
  return line[at] === "`" && /^`+[^`]+`/.test(line.slice(at));
}

/**
 * Tells whether a fence is all there is to its list item and the next item follows at once, as in the comments of code. Some
 * readers make one item of several then, so code deep in a later list is not believed.
 */
function fillsItem(line: string, next: string): boolean {
  const bullet = /^ *[*+-] (?=[`~]{3})/.exec(line)?.[0].trimEnd();
  return bullet !== undefined && (next.startsWith(`${bullet} `) || next === bullet || next === `${bullet}/`);
}

function fenceOf(line: string, items: Items): Fence | undefined {
  const [, quotation = "", white = "", run = ""] = opening.exec(line) ?? [];
  if (run === "") return undefined;
  const indent = white.length;
  if (quotation !== "") return indent === 0 ? { indent: 0, lead: quotation, run } : undefined;
  return indent <= 3 || items.hold(indent) ? { indent, lead: white, run } : undefined;
}

/** Finds the line that closes a fence: one past the last when none does; undefined where readers may disagree. */
function closeOf(
  { lead, run }: Fence,
  first: number,
  { like, odd, shallower, unquoted, other, end }: Reach,
  lineAt: (index: number) => string,
): number | undefined {
  if (odd <= like && odd < end) return undefined;
  if (lead !== "" && (lead === "> " ? unquoted : shallower) < like) return undefined;
  if (like === end) return lead === "" && other === end ? end : undefined;
  const line = lineAt(like);
  const isClosing = line.startsWith(lead + run) && /^(?:`+|~+)$/.test(line.slice(lead.length));
  return isClosing && like > first + 1 ? like : undefined;
}

/**
 * Lines that come next after a line with a fence: one with a like fence (the same sign, at least as often), with any other fence,
 * with an end that readers disagree on, with less indent, without a quotation mark. `end`, one past the last, where there is
 * none.
 */
type Reach = {
  readonly like: number;
  readonly other: number;
  readonly odd: number;
  readonly shallower: number;
  readonly unquoted: number;
  readonly end: number;
};

/** Finds the reach of every fence in one walk from the end, the first time one is asked for. */
function createReach(cuts: LineCuts, lineAt: (index: number) => string): (index: number) => Reach {
  let known: Map<number, Reach> | undefined;
  return (index) => {
    known ??= walkBack(cuts, lineAt);
    return known.get(index) as Reach;
  };
}

/** A stack of lines with a count each, the nearest on top. Lines that a nearer one hides are removed. */
type Nearest = { readonly line: number; readonly count: number }[];

/**
 * Returns the nearest line whose count passes. Lines nearer than that are dropped: no later question can have them as its answer.
 */
function nearest(lines: Nearest, passes: (count: number) => boolean): number | undefined {
  while (lines.length > 0 && !passes((lines.at(-1) as Nearest[number]).count)) lines.pop();
  return lines.at(-1)?.line;
}

function walkBack(cuts: LineCuts, lineAt: (index: number) => string): Map<number, Reach> {
  const reaches = new Map<number, Reach>();
  const end = cuts.starts.length;
  let [other, odd, unquoted] = [end, end, end];
  const fences: Readonly<Record<string, Nearest>> = { "`": [], "~": [] };
  const indents: Nearest = [];
  for (let line = end - 1; line >= 0; line--) {
    const words = lineAt(line);
    if (!blank.test(words)) {
      const indent = (/^ */.exec(words) as RegExpExecArray)[0].length;
      const shallower = nearest(indents, (count) => count < indent) ?? end;
      indents.push({ line, count: indent });
      const at = fenceLine.exec(words)?.[0].length;
      const [run = ""] = at === undefined ? [] : (/^(?:`+|~+)/.exec(words.slice(at)) as RegExpExecArray);
      if (run !== "") {
        const alike = fences[run[0] as string] as Nearest;
        const like = nearest(alike, (count) => count >= run.length) ?? end;
        alike.push({ line, count: run.length });
        reaches.set(line, { like, other, odd, shallower, unquoted, end });
        other = line;
      }
    }
    if (!cuts.plain[line]) odd = line;
    if (!words.startsWith("> ") && words !== ">") unquoted = line;
  }
  return reaches;
}

/**
 * Makes a function that tells whether, after a place, a run of at least as many of the same sign follows. The last run of each
 * length is found once.
 */
function createRuns(text: string): (run: string, from: number) => boolean {
  const last: Readonly<Record<string, number[]>> = { "`": [], "~": [] };
  for (const { index, 0: run } of text.matchAll(/`{3,}|~{3,}/g))
    for (let count = 3; count <= run.length; count++) (last[run[0] as string] as number[])[count] = index;
  return (run, from) => ((last[run[0] as string] as number[])[run.length] ?? -1) >= from;
}

/** The list items a line stands in, as long as all readers nest them alike. */
type Items = {
  readonly line: (line: string) => void;
  readonly blank: () => void;
  /** Notes that from here on readers nest items differently. */
  readonly loosen: () => void;
  readonly hold: (indent: number) => boolean;
};

function createItems(): Items {
  let offsets: number[] = [];
  let loose = false;
  let apart = true; // Shows that a blank line stands above: all readers begin a list there.
  return {
    line(line) {
      const indent = line.length - line.trimStart().length;
      offsets = offsets.filter((offset) => offset <= indent);
      const [whole, white = ""] = itemLine.exec(line) ?? [];
      const begins = whole !== undefined && (offsets.length > 0 || (apart && white.length <= 3));
      if (begins) offsets.push(whole.length);
      apart = begins;
    },
    blank() {
      apart = true;
    },
    loosen() {
      loose = true;
    },
    hold: (indent) => !loose && indent - (offsets.at(-1) ?? indent + 1) >= 0 && indent - (offsets.at(-1) ?? 0) <= 3,
  };
}

/**
 * Finds code within a line that every reader sees alike: in a paragraph without HTML at the start of a line, without escaped
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

/** Tells whether no tag begins before a span and reaches into it: some readers would see the tag, and no span. */
function isOutsideTags(line: string, spans: readonly [number, number][]): boolean {
  return spans.every(([from], index) => {
    const ahead = line.slice(spans[index - 1]?.[1] ?? 0, from);
    return !/<[A-Za-z/!?%]/.test(ahead.slice(ahead.lastIndexOf(">") + 1));
  });
}

type Stretch = readonly [start: number, end: number];

/** Makes a function that gives the first and the last string index of a block in a text of these lines. */
export function stretchIn({ starts, ends }: LineCuts): (block: CodeBlock) => Stretch {
  return ({ first, last }) => [starts[first] as number, ends[last] as number];
}

/**
 * Makes a function that tells whether an index is inside one of the stretches. Each index asked for must be greater than the
 * last.
 */
export function createCursor(stretches: readonly Stretch[]): (at: number) => boolean {
  let next = 0;
  return (at) => {
    while (next < stretches.length && (stretches[next]?.[1] as number) <= at) next++;
    return next < stretches.length && (stretches[next]?.[0] as number) <= at;
  };
}

/**
 * The start of a definition: a footnote's name and text, or a link's name and address, perhaps with a title. Nothing else defines
 * one.
 */
const name = "\\[(?:[^\\]]*|(?:\\\\.|[^\\]\\\\])*)\\]:";
const footnote = /^\[\^[^\]]+\]:/;
const link = new RegExp(`^${name}[ \\t]*(?:(?:<[^>]*>|\\S+)[ \\t]*(?:["'(|].*)?)?$`);
/** The `]` that ends a name: any to some readers, to others only one without a backslash before it. */
const anyEnd = /\]/g;
const plainEnd = /(?<!(?<!\\)(?:\\\\)*\\)\]/g;

/**
 * Makes a function that tells whether the definition of a link or a footnote begins at a place that opens a block, on the line
 * that ends at `end`. Each place asked for must be farther than the last.
 *
 * A link's definition is taken out of the text, by some readers with the blank lines after it: what stands above it is then the
 * title of a rule below. A footnote's is put at the end, outside the quotation it stood in and behind a rule. A name may run over
 * lines.
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

/**
 * Makes a function that finds a pattern's next match after a place, infinity where there is none. Each place asked for must be
 * farther than the last.
 */
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

/** Finds where footnotes within a line begin, `^[so]`, outside code that every reader sees. */
export function notesInLines(text: string, cuts: LineCuts, code: readonly CodeBlock[], underTag: boolean): number[] {
  if (!text.includes("^[")) return [];
  const inCode = createCursor(code.map(stretchIn(cuts)));
  const inSpan = createCursor(codeSpans(text, cuts, code, underTag));
  return Array.from(text.matchAll(/(?<!(?<!\\)(?:\\\\)*\\)\^(?=\[)/g), ({ index }) => index).filter(
    (at) => !inCode(at) && !inSpan(at),
  );
}

/**
 * A place where words could pass for structure, or hide what stands after them.
 *
 * `sure`: every reader takes it for structure. `hides`: to some reader, what follows is no longer there. `maybe`: only
 * some reader takes it for structure.
 */
export type Place = {
  readonly what: "heading" | "separator" | "definition" | "line" | "tag" | "fence" | "markup";
  readonly at: number;
  readonly certainty: "sure" | "hides" | "maybe";
};
