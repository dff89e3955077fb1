import type { SyntaxNode } from "@lezer/common";
import { GFM, parser } from "@lezer/markdown";
import type { Scope } from "../../amend/amendment.ts";
import { checkNeeded, isText } from "../../prompt/argument.ts";
import { shallow } from "../../prompt/passage.ts";
import type { NewDispatch } from "../../store/channels/dispatches.ts";
import { checkScope } from "../../store/scope.ts";
import type { Store } from "../../store/store.ts";
import { type Approval, approvalsOf, type Button } from "./approval.ts";
import { endOf, type FormattedText, isCode, soundEntities, type TextEntity } from "./formatted/formatted-text.ts";
import { renderInline } from "./formatted/inline.ts";
import { childrenOf, mark, newWriter, put, sourceOf, type TextWriter, writeInside } from "./formatted/text-writer.ts";
import { maxMessageLength } from "./split.ts";
import { graphemeAt } from "./split-point.ts";

/** A message for a user, in as many pieces as the channel needs, with buttons under the last. */
export type OutgoingMessage = {
  /** Markdown; where the channel shows none, it is sent as it is. */
  readonly text: string;
  /** The turn that sends it. Approvals it asked for are shown along with it. */
  readonly turn?: string;
  readonly buttons?: readonly Button[];
};

/** What a message needs besides its words. */
export type DispatchExtra = { readonly buttons?: readonly Button[]; readonly entities?: readonly TextEntity[] };

/**
 * Queues a message for every chat that a user has linked, and returns how many pieces it has. They are sent as soon as
 * possible.
 */
export async function deliverTo(store: Store, scope: Scope, message: OutgoingMessage): Promise<number> {
  checkScope(scope);
  checkNeeded<OutgoingMessage>("deliverTo", message, { text: [isText, "Give the words, as text."] });
  const dispatches = await dispatchesTo(store, scope, message);
  if (dispatches.length > 0) await store.dispatches.add(dispatches);
  return dispatches.length;
}

/** The pieces for every chat a user has linked, to be written along with what they tell of. */
export async function dispatchesTo(store: Store, scope: Scope, said: OutgoingMessage): Promise<NewDispatch[]> {
  const { agent, user } = scope;
  if (user === undefined) return [];
  const links = await store.links.of(scope);
  if (links.length === 0) return [];
  const approvals = said.turn === undefined ? [] : await approvalsOf(store, { agent, user }, said.turn);
  return links.flatMap(({ channel, address }) =>
    dispatchesFor({ scope: { agent, user }, channel, address }, said, approvals),
  );
}

/** The pieces of what is said in one chat, and of what is asked there. */
export function dispatchesFor(
  { scope, channel, address }: Pick<NewDispatch, "scope" | "channel" | "address">,
  said: OutgoingMessage,
  approvals: readonly Approval[] = [],
): NewDispatch[] {
  const to = { scope, channel, address };
  const turn = said.turn === undefined ? {} : { turn: said.turn };
  // What a model says is Markdown; what someone is to decide is shown as it is.
  const messages = [
    { ...said, whole: formattedText(said.text) },
    ...approvals.map((one) => ({ ...one, whole: { text: one.text, entities: [] } })),
  ];
  return messages.flatMap(({ text, whole, buttons = [] }) => {
    const pieces: readonly FormattedText[] =
      channel === "telegram" ? splitFormatted(whole) : text.trim() === "" ? [] : [{ text, entities: [] }];
    return pieces.map(({ text: body, entities }, index) => {
      const extra: DispatchExtra = {
        ...(entities.length > 0 ? { entities } : {}),
        ...(index === pieces.length - 1 && buttons.length > 0 ? { buttons } : {}),
      };
      return { ...to, ...turn, body, ...(Object.keys(extra).length > 0 ? { extra } : {}) };
    });
  });
}

/** The most a message of Telegram may hold: beyond them it shows no more. */
export const maxEntities = 100;

type SplitOptions = { readonly max?: number; readonly entities?: number };

/**
 * Splits a formatted text into messages, where a reader would: after a paragraph, a line, a sentence or a word, and not
 * inside code that has room in a message of its own. Nothing is lost but white space at the cuts. What was bold or code is
 * so on both sides.
 */
export function splitFormatted(whole: FormattedText, options: SplitOptions = {}): FormattedText[] {
  const { max = maxMessageLength, entities: most = maxEntities } = options;
  const messages: FormattedText[] = [];
  for (let left = slice(whole, 0, whole.text.length); left.text.trim() !== ""; ) {
    const room = Math.min(max, roomForEntities(left.entities, most) ?? max);
    const end = left.text.length <= room ? left.text.length : cutAt(left, room);
    const { text, entities } = trimmedEnd(slice(left, 0, end));
    if (text !== "") messages.push({ text, entities: entities.slice(0, most) });
    left = slice(left, nextStart(left, end), left.text.length);
  }
  return messages;
}

/** Where the first entity begins that is one too many; none where so many begin at once that no cut helps. */
function roomForEntities(entities: readonly TextEntity[], most: number): number | undefined {
  const over = entities[most]?.offset ?? 0;
  return over > 0 ? over : undefined;
}

/** A part of a text, with what of its entities lies in it. */
function slice({ text, entities }: FormattedText, from: number, to: number): FormattedText {
  const kept = entities.flatMap((one) => {
    const [start, end] = [Math.max(one.offset, from), Math.min(endOf(one), to)];
    return end > start ? [{ ...one, offset: start - from, length: end - start }] : [];
  });
  return { text: text.slice(from, to), entities: kept };
}

function trimmedEnd(message: FormattedText): FormattedText {
  return slice(message, 0, message.text.trimEnd().length);
}

const paragraph = /\n(?=[ \t]*\n)/g;
const line = /(?=\n)/g;
const sentence = /[.!?…]["'”’»)\]]*(?=\s)|[。！？]["”’」』）]*/gu;
const word = /\S(?=\s)/gu;

/** The best place to end a message: after half of it at least, so that a text does not go out in crumbs. */
function cutAt({ text, entities }: FormattedText, room: number): number {
  const words = text.slice(0, room + 1);
  const code = entities.filter(isCode);
  const inCode = (at: number) => code.some((one) => one.offset < at && at < endOf(one));
  const ends = (pattern: RegExp) => Array.from(words.matchAll(pattern), ({ index, 0: found }) => index + found.length);
  const before = code.filter((one) => endOf(one) > room && one.length <= room).map(({ offset }) => offset);
  const choices: readonly (readonly [ends: readonly number[], least: number])[] = [
    [ends(paragraph).filter((at) => !inCode(at)), room / 2],
    [ends(line).filter((at) => !inCode(at)), room / 2],
    [ends(sentence).filter((at) => !inCode(at)), room / 2],
    [before, 1],
    [ends(line), room / 2],
    [ends(word), room / 2],
  ];
  for (const [places, least] of choices) {
    const found = places.findLast((at) => at >= least && at <= room && graphemeAt(text, at) === at);
    if (found !== undefined) return found;
  }
  return graphemeAt(text, room) || codePointAt(text, room) || Math.max(1, room);
}

function codePointAt(text: string, index: number): number {
  return index > 0 && (text.codePointAt(index - 1) ?? 0) > 0xffff ? index - 1 : index;
}

/** White space at the cut goes, but not how far a line is set in: neither in code, nor in a list. */
function nextStart({ text, entities }: FormattedText, end: number): number {
  const inCode = entities.some((one) => one.type === "pre" && one.offset < end && end < endOf(one));
  if (inCode) return text[end] === "\n" ? end + 1 : end;
  const [lines = ""] = /^(?:[^\S\n]*\n)+/.exec(text.slice(end)) ?? [];
  const [spaces = ""] = lines === "" ? (/^[^\S\n]*/.exec(text.slice(end)) ?? []) : [];
  return end + lines.length + graphemeAt(text.slice(end), spaces.length);
}

const markdown = parser.configure(GFM);

/** Longer than any answer is, with more brackets: to parse it takes time with their square. */
const maxLength = 40_000;
const maxBrackets = 2000;

/**
 * Markdown as a text with Telegram's entities. Nothing is hidden: an address stands beside the words it was under, and
 * what Telegram cannot show is left as it was written.
 */
export function formattedText(words: string): FormattedText {
  const source = words.replace(/\r\n?/g, "\n");
  const plain = { text: source, entities: [] };
  if (source.length > maxLength || source.split("[").length > maxBrackets) return plain;
  try {
    const writer = newWriter(source);
    renderBlocks(writer, childrenOf(markdown.parse(shallow(source)).topNode));
    // Of marks alone nothing would be left to send.
    if (writer.text.trim() === "" && source.trim() !== "") return plain;
    return { text: writer.text, entities: soundEntities(writer.text, writer.entities) };
  } catch (error) {
    // Nested deeper than a program can follow: nobody reads it as anything but text.
    if (error instanceof RangeError) return plain;
    throw error;
  }
}

/** Blocks under each other, as far apart as they were written. */
function renderBlocks(writer: TextWriter, nodes: readonly SyntaxNode[]): void {
  let before: SyntaxNode | undefined;
  for (const node of nodes) {
    if (node.name === "QuoteMark" || node.name === "ListMark") continue;
    if (before) {
      const apart = writer.source.slice(before.to, node.from).split("\n").length > 2 ? "\n\n" : "\n";
      writer.text += apart + (isPreformatted(writer, node) ? "" : writer.indent);
    }
    renderBlock(writer, node);
    before = node;
  }
}

function isPreformatted({ within }: TextWriter, { name }: SyntaxNode): boolean {
  return !within.has("pre") && (name === "FencedCode" || name === "CodeBlock" || name === "Table");
}

type RenderBlock = (writer: TextWriter, node: SyntaxNode) => void;

function renderBlock(writer: TextWriter, node: SyntaxNode): void {
  const heading = /^(?:ATX|Setext)Heading/.test(node.name);
  const render = heading ? renderHeading : (blocks[node.name] ?? renderAsWritten);
  render(writer, node);
}

const renderCode: RenderBlock = (writer, node) => {
  const code = node.getChildren("CodeText").map((one) => sourceOf(writer, one));
  const info = node.getChild("CodeInfo");
  const about = info ? sourceOf(writer, info).trim() : "";
  const language = /^[\w+#.-]{1,40}$/.test(about) ? about : undefined;
  // Words that are no language stand above it.
  if (about !== "" && language === undefined) put(writer, `${about}\n`);
  addCode(writer, code.join("").replace(/\n+$/, ""), language);
};

const renderList: RenderBlock = (writer, node) => renderBlocks(writer, childrenOf(node));

const blocks: Readonly<Record<string, RenderBlock>> = {
  Paragraph: (writer, node) => renderInline(writer, node, node.from, node.to),
  Task: (writer, node) => {
    const box = node.getChild("TaskMarker");
    writer.text += box && /x/i.test(sourceOf(writer, box)) ? "☑" : "☐";
    renderInline(writer, node, box?.to ?? node.from, node.to);
  },
  Blockquote: (writer, node) => {
    const start = writer.text.length;
    writeInside(writer, { within: ["blockquote", "code", "pre"] }, (inner) => renderBlocks(inner, childrenOf(node)));
    mark(writer, "blockquote", start);
  },
  BulletList: renderList,
  OrderedList: renderList,
  ListItem: (writer, node) => {
    const sign = node.getChild("ListMark");
    const words = sign ? sourceOf(writer, sign) : "";
    writer.text += /\d/.test(words) ? `${words} ` : "• ";
    writeInside(writer, { indent: `${writer.indent}  ` }, (inner) => renderBlocks(inner, childrenOf(node)));
  },
  FencedCode: renderCode,
  CodeBlock: renderCode,
  Table: (writer, node) => addCode(writer, tableText(writer, node)),
  HorizontalRule: (writer) => {
    writer.text += "———";
  },
};

/** A definition of a link, or HTML. */
const renderAsWritten: RenderBlock = (writer, node) => put(writer, sourceOf(writer, node));

const renderHeading: RenderBlock = (writer, node) => {
  const signs = node.getChildren("HeaderMark");
  const [first, last] = [signs[0], signs.at(-1)];
  const from = node.name.startsWith("ATX") && first ? first.to : node.from;
  const to = last && last.from > from ? last.from : node.to;
  const words = writer.source.slice(from, to);
  const begin = from + (words.length - words.trimStart().length);
  const start = writer.text.length;
  writeInside(writer, { within: ["bold"] }, (inner) => renderInline(inner, node, begin, begin + words.trim().length));
  mark(writer, "bold", start);
};

function addCode(writer: TextWriter, code: string, language?: string): void {
  const start = writer.text.length;
  writer.text += code;
  mark(writer, "pre", start, language);
}

/** A table as lines of the same width: Telegram has none, and shows code in letters of one width. */
function tableText(writer: TextWriter, table: SyntaxNode): string {
  const rows = childrenOf(table)
    .filter(({ name }) => name === "TableHeader" || name === "TableRow")
    .map((row) => cellsOf(writer, row));
  const count = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ""))));
  const lineOf = (cells: readonly string[]) =>
    widths
      .map((width, at) => (cells[at] ?? "") + " ".repeat(width - widthOf(cells[at] ?? "")))
      .join(" | ")
      .trimEnd();
  const [head = [], ...rest] = rows;
  return [lineOf(head), widths.map((width) => "-".repeat(width)).join("-|-"), ...rest.map(lineOf)].join("\n");
}

/** A cell without words is no node: it is known by the bars around it. */
function cellsOf(writer: TextWriter, row: SyntaxNode): string[] {
  const cells: string[] = [];
  let cell: string | undefined;
  for (const [at, node] of childrenOf(row).entries()) {
    if (node.name === "TableCell") cell = cellText(writer, node);
    else if (at > 0) {
      cells.push(cell ?? "");
      cell = undefined;
    }
  }
  return cell === undefined ? cells : [...cells, cell];
}

function widthOf(cell: string): number {
  return Array.from(cell).length;
}

function cellText({ source }: TextWriter, cell: SyntaxNode): string {
  const inner = newWriter(source);
  renderInline(inner, cell, cell.from, cell.to);
  return inner.text.trim();
}
