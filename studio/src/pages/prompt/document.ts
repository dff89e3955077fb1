import { blame } from "charter";
import type { NextRequestAnswer } from "charter/answers";
import type { HandName } from "../../kit/hand.tsx";

type Section = NextRequestAnswer["parts"][number]["sections"][number];
type Message = NextRequestAnswer["request"]["messages"][number];
type Said = NextRequestAnswer["said"][number];

/** Where in a request something stands, in the order the model reads it. */
export type Part = "tools" | "prefix" | "history" | "state";

/** A section, an update, a message, or the tools: what has a heading of its own in the document. */
export type Block = Stretch & {
  /** What the address calls it: a section's name; of a message, an update and the tools a sign and its place. */
  readonly name: string;
  readonly part: Part;
  readonly tokens: number;
  /** The hand of most of its words. */
  readonly hand: HandName;
  /** What stands at its end and is none of its own words. */
  readonly gap: number;
} & (
    | { readonly kind: "section" | "update"; readonly section: Section }
    | { readonly kind: "message"; readonly role: Message["role"]; readonly said: Said | undefined }
    | { readonly kind: "tools"; readonly names: readonly string[] }
  );

/** A stretch of the document, and whose words it is. */
export type HandStretch = Stretch &
  Pick<Section["spans"][number], "hand" | "revision" | "source" | "trust" | "part" | "replaced">;

export type Amendment = NextRequestAnswer["amendments"][number];

/** A whole request as one text, with its blocks, and the hand of every stretch. */
export type PromptDocument = {
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly spans: readonly HandStretch[];
};

/** The request in the order the model reads it: tools, prefix, what was said with the updates among it; of earlier versions, state. */
export function documentOf({ parts, request, said, input, tokens }: NextRequestAnswer): PromptDocument {
  const blocks: Block[] = [];
  const spans: HandStretch[] = [];
  let text = "";
  const add = (words: string, block: DistributedOmit<Block, "start" | "end" | "gap" | "hand">, own: readonly Own[]) => {
    const start = text.length;
    let at = start;
    for (const { length, ...span } of own) {
      if (length > 0) spans.push({ ...span, start: at, end: at + length });
      at += length;
    }
    text += words;
    const gap = words.length - words.trimEnd().length;
    blocks.push({ ...block, hand: mostOf(own), start, end: text.length, gap });
  };
  const addSection = (section: Section, kind: "section" | "update", part: Part, name: string) =>
    add(section.text, { kind, name, part, tokens: section.tokens, section }, section.spans);
  if (request.tools.length > 0) {
    const words = request.tools.map(toolWords).join("\n\n");
    const names = request.tools.map(({ name }) => name);
    add(words, { kind: "tools", name: "#tools", part: "tools", tokens: tokens.tools, names }, [
      byCode(words.length, "tools"),
    ]);
  }
  for (const { slot, sections } of parts)
    if (slot === "system") for (const one of sections) addSection(one, "section", "prefix", one.name);
  const updates = new Map(
    parts.flatMap(({ slot, ...one }) => (slot === "system" || slot === "state" ? [] : [[one.message, one.sections]])),
  );
  const told = new Map(said.map((one) => [one.message, one]));
  const states = parts.filter(({ slot }) => slot === "state");
  const history = states.length > 0 ? request.messages.slice(0, -1) : request.messages;
  for (const [at, message] of history.entries()) {
    const sections = updates.get(at);
    if (sections) {
      for (const [nth, one] of sections.entries())
        addSection(one, "update", "history", nth === 0 ? `#${at}` : `#${at}.${nth}`);
      continue;
    }
    const one = told.get(at);
    const pieces = messagePieces(message, one?.hands ?? [at === input ? "user" : "program"]);
    const words = pieces.map(([piece]) => piece).join("");
    const own = pieces.map(([piece, hand]): Own => ({ ...byCode(piece.length, message.role), hand }));
    add(
      words,
      { kind: "message", name: `#${at}`, part: "history", tokens: one?.tokens ?? 0, role: message.role, said: one },
      own,
    );
  }
  for (const { sections } of states) for (const one of sections) addSection(one, "section", "state", one.name);
  return { text, blocks, spans };
}

type DistributedOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type Own = Section["spans"][number];

function byCode(length: number, source: string): Own {
  return { length, source, hand: "program", trust: "own", revision: null };
}

function toolWords({ name, description, input }: NextRequestAnswer["request"]["tools"][number]): string {
  return `${name}\n${description}\n${JSON.stringify(input)}`;
}

/** The words of a message, each piece with its hand; of tool results each one's name is the program's. */
function messagePieces(message: Message, hands: readonly HandName[]): readonly (readonly [string, HandName])[] {
  const [first = "program"] = hands;
  if (message.role === "tool")
    return message.results.flatMap(({ name, output }, at): (readonly [string, HandName])[] => [
      [`${at > 0 ? "\n" : ""}${name}\n`, "program"],
      [output, hands[at] ?? "program"],
    ]);
  if (message.role !== "assistant") return [[message.text, first]];
  const calls = message.calls.map(({ name, input }) => `calls ${name} ${input}`);
  return [[[...(message.text === "" ? [] : [message.text]), ...calls].join("\n"), first]];
}

function mostOf(spans: readonly Own[]): HandName {
  const lengths = new Map<HandName, number>();
  for (const { hand, length } of spans) lengths.set(hand, (lengths.get(hand) ?? 0) + length);
  // The heading is the charter's; what stands under it says whose the section is.
  const [most] = [...lengths].sort(
    ([one, a], [other, b]) => Number(one === "charter") - Number(other === "charter") || b - a,
  );
  return most?.[0] ?? "program";
}

/** What stands in a text and not in another: by lines, and in changed lines by words. */
export function notIn(text: string, other: string): readonly Stretch[] {
  return blame({ text: other, revision: 0 }, [{ revision: 1, after: text }]).filter(({ revision }) => revision === 1);
}

/**
 * What a document says that an earlier one did not: in a section of the same name the words that are new, of others all of
 * them. What was said is compared by its place; the words that are the user's next are not there yet.
 */
export function changedSince(now: PromptDocument, before: PromptDocument): readonly Stretch[] {
  const earlier = new Map(before.blocks.map((one) => [one.name, before.text.slice(one.start, one.end)]));
  return now.blocks.flatMap(({ name, start, end }) => {
    const words = now.text.slice(start, end);
    const known = earlier.get(name);
    if (known === undefined) return words.trim() === "" ? [] : [{ start, end }];
    if (known.trimEnd() === words.trimEnd()) return [];
    return notIn(words, known).map((one) => ({ start: start + one.start, end: start + one.end }));
  });
}

/** The sections of an earlier document that are no more in this one. */
export function goneSince(now: PromptDocument, before: PromptDocument): readonly string[] {
  const names = new Set(now.blocks.map(({ name }) => name));
  return before.blocks.flatMap(({ name, kind }) => (kind === "section" && !names.has(name) ? [name] : []));
}

/** The block that an address or a section's name leads to: of a section that no prefix has, the last update that tells it. */
export function blockOf(blocks: readonly Block[], name: string): Block | undefined {
  return (
    blocks.findLast((block) => block.name === name) ??
    blocks.findLast((block) => block.kind === "update" && block.section.name === name)
  );
}

/** A prompt that was made to fit: its text, its sections, and what gave way in it. */
type Fitted = {
  readonly text: string;
  readonly sections: readonly (Stretch & { readonly name: string })[];
  readonly cuts: readonly { readonly section: string }[];
  readonly omitted: readonly { readonly name: string; readonly reason: string }[];
};

/**
 * The words that a smaller prompt leaves out: of a section that gave way, what does not stand in it any more. Each is compared
 * when it is looked at, since a limit that is drawn makes thousands of them give way with every move.
 */
export function cutBy({ text, blocks, spans }: PromptDocument, fitted: Fitted): (block: Block) => readonly Stretch[] {
  const left = new Map(fitted.sections.map((one) => [one.name, one]));
  const gaveWay = new Set([
    ...fitted.cuts.map(({ section }) => section),
    ...fitted.omitted.filter(({ reason }) => reason === "gave-way").map(({ name }) => name),
  ]);
  const known = new Map<Block, readonly Stretch[]>();
  // What the delivery puts around a section's words in an update is in no prompt.
  const ofSection = (cut: Stretch) =>
    within(spans, cut.start, cut.end)
      .filter(({ source }) => source !== "delivery")
      .map((span) => ({ start: Math.max(span.start, cut.start), end: Math.min(span.end, cut.end) }));
  const compare = (block: Block): readonly Stretch[] => {
    if (block.kind !== "section" && block.kind !== "update") return [];
    const { start, end, section } = block;
    if (!gaveWay.has(section.name) || blockOf(blocks, section.name) !== block) return [];
    const own = left.get(section.name);
    if (own === undefined) return [{ start, end }];
    const words = fitted.text.slice(own.start, own.end);
    const cuts = notIn(text.slice(start, end), words);
    return cuts.flatMap((cut) => ofSection({ start: start + cut.start, end: start + cut.end }));
  };
  return (block) => {
    const cuts = known.get(block) ?? compare(block);
    known.set(block, cuts);
    return cuts;
  };
}

/** What is drawn as one: a line of a block, or a piece of one that is very long. Offsets are those of the whole text. */
export type Row = {
  readonly key: string;
  readonly block: Block;
  readonly start: number;
  readonly end: number;
  /** It opens its block, closes it; opens a part of the request. */
  readonly opens: boolean;
  readonly closes: boolean;
  readonly opensPart: boolean;
  /** Of its block nothing but the heading is drawn. */
  readonly folded: boolean;
};

const maxCharacters = 2_000;

/** A document's text, cut into its lines; of blocks that are folded only the heading. */
export function rowsOf(
  text: string,
  blocks: readonly Block[],
  folded: ReadonlySet<string> = new Set(),
): readonly Row[] {
  const rows: Row[] = [];
  for (const [index, block] of blocks.entries()) {
    const opensPart = blocks[index - 1]?.part !== block.part;
    if (folded.has(block.name)) {
      const { name, start } = block;
      rows.push({ key: name, block, start, end: start, opens: true, closes: true, opensPart, folded: true });
      continue;
    }
    const end = shownEnd(text, block);
    let start = block.start;
    do {
      const opens = start === block.start;
      const next = rowEnd(text, start, end);
      const key = `${block.name}\n${start - block.start}`;
      rows.push({
        key,
        block,
        start,
        end: next,
        opens,
        closes: next >= end,
        opensPart: opens && opensPart,
        folded: false,
      });
      start = next;
    } while (start < end);
  }
  return rows;
}

/** The line ends that part a block from the next are not drawn: the rows are parted as it is. */
function shownEnd(text: string, { start, end }: Block): number {
  let shown = end;
  while (shown > start && text.charCodeAt(shown - 1) === 10) shown--;
  return shown;
}

function rowEnd(text: string, start: number, end: number): number {
  // Never looked at further than a row can reach: a text may be one line of a million characters.
  const words = text.slice(start, Math.min(end, start + maxCharacters + 1));
  const newline = words.indexOf("\n");
  if (newline !== -1 && newline < maxCharacters) return start + newline + 1;
  return words.length <= maxCharacters ? end : start + wordEnd(words);
}

/** A line that is too long ends after a space where it has one, and never inside a character. */
function wordEnd(words: string): number {
  const space = words.lastIndexOf(" ", maxCharacters - 1);
  if (space > maxCharacters / 2) return space + 1;
  const unit = words.charCodeAt(maxCharacters);
  return unit >= 0xdc00 && unit < 0xe000 ? maxCharacters - 1 : maxCharacters;
}

/** The row a place in the text is drawn in. */
export function rowAt(rows: readonly Row[], offset: number): number {
  return rows.findIndex(({ block, start, end }, index) => {
    const last = rows[index + 1]?.block !== block;
    return offset >= start && offset < (last ? block.end : end);
  });
}

/** Those that reach into a stretch, out of all of them in their order. */
export function within<One extends Stretch>(all: readonly One[], start: number, end: number): readonly One[] {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle] as One).end <= start) low = middle + 1;
    else high = middle;
  }
  let last = low;
  while (last < all.length && (all[last] as One).start < Math.max(end, start + 1)) last++;
  return all.slice(low, last);
}

/** Whose line it is: the hand of most of its words. */
export function spanOfLine(spans: readonly HandStretch[], { start, end }: Pick<Row, "start" | "end">) {
  const length = (one: HandStretch) => Math.min(one.end, end) - Math.max(one.start, start);
  return spans.reduce<HandStretch | undefined>(
    (most, one) => (most === undefined || length(one) > length(most) ? one : most),
    undefined,
  );
}

/** A stretch of a row that looks the same from end to end. */
export type Piece = Stretch & {
  readonly span: HandStretch | undefined;
  /** It is new since an earlier request; a smaller limit leaves it out; it was looked for, or asked about. */
  readonly marks: readonly Mark["kind"][];
};

export type Mark = Stretch & { readonly kind: "new" | "cut" | "word" | "hit" | "here" };

/** A row in pieces, by the spans that wrote it and what is marked in it. */
export function piecesOf(row: Stretch, spans: readonly HandStretch[], marks: readonly Mark[]): readonly Piece[] {
  const inside = (one: Stretch) => one.start < row.end && one.end > row.start;
  const [ownSpans, ownMarks] = [spans.filter(inside), marks.filter(inside)];
  const cuts = new Set([row.start, row.end]);
  for (const { start, end } of [...ownSpans, ...ownMarks]) {
    if (start > row.start) cuts.add(start);
    if (end < row.end) cuts.add(end);
  }
  const places = [...cuts].sort((one, other) => one - other);
  const holds = (one: Stretch, at: number) => one.start <= at && one.end > at;
  return places.slice(0, -1).map((start, index) => ({
    start,
    end: places[index + 1] as number,
    span: ownSpans.find((span) => holds(span, start)),
    marks: [...new Set(ownMarks.filter((mark) => holds(mark, start)).map(({ kind }) => kind))],
  }));
}

/** A stretch of the text. */
export type Stretch = { readonly start: number; readonly end: number };

const wordSign = /[\p{L}\p{M}\p{N}_'’-]/u;
const longest = 80;

/** The word at a place, or the one sign there; nothing where there is only white space. Very long ones are cut. */
export function wordAt(text: string, offset: number): Stretch | undefined {
  const at = isLow(text, offset) ? offset - 1 : offset;
  const sign = signAt(text, at);
  if (sign === "" || /\s/u.test(sign)) return undefined;
  if (!wordSign.test(sign)) return { start: at, end: at + sign.length };
  let [start, end] = [at, at + sign.length];
  while (start > 0 && at - start < longest) {
    const before = signAt(text, isLow(text, start - 1) ? start - 2 : start - 1);
    if (!wordSign.test(before)) break;
    start -= before.length;
  }
  while (end < text.length && end - at < longest) {
    const after = signAt(text, end);
    if (!wordSign.test(after)) break;
    end += after.length;
  }
  return { start, end };
}

/** The nearest word after (or before) a stretch, inside these bounds. */
export function nextWord(text: string, from: Stretch, step: 1 | -1, bounds: Stretch): Stretch | undefined {
  for (let at = step === 1 ? from.end : from.start - 1; at >= bounds.start && at < bounds.end; at += step) {
    const word = wordAt(text, at);
    if (word && wordSign.test(signAt(text, word.start))) return word;
  }
  return undefined;
}

function signAt(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? "" : String.fromCodePoint(point);
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit < 0xe000;
}

/** A word by its section and its place in it: the section may move as the prompt changes. */
export type PlacedWord = { readonly section: string; readonly from: number; readonly words: string };

type PlacedSection = Pick<Block, "name" | "start" | "end">;

/** A word as the address names it. */
export function inAddress({ section, from }: Pick<PlacedWord, "section" | "from">): string {
  return `${section}:${from}`;
}

/** The word that an address names, as far as there is one: a section's name may hold colons of its own. */
export function wordIn(named: string, text: string, sections: readonly PlacedSection[]): Stretch | undefined {
  const [, name, from] = /^(.*):(\d{1,9})$/s.exec(named) ?? [];
  const section = sections.find((one) => one.name === name);
  const at = section ? section.start + Number(from) : Number.NaN;
  return section && at < section.end ? wordAt(text, at) : undefined;
}

/** Where it stands now; nothing where other words stand there. */
export function stretchOf(
  { section, from, words }: PlacedWord,
  text: string,
  sections: readonly PlacedSection[],
): Stretch | undefined {
  const placed = sections.find(({ name }) => name === section);
  if (!placed) return undefined;
  const start = placed.start + from;
  return text.startsWith(words, start) && start < placed.end ? { start, end: start + words.length } : undefined;
}
