import { blame } from "charter";
import type { NextRequestAnswer } from "charter/answers";
import type { HandName } from "../../kit/hand.tsx";
import type { Stretch } from "./word/word.ts";

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

/** The request in the order the model reads it: tools, prefix, what was said with the updates among it, state. */
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
  const updates = new Map(parts.flatMap((one) => (one.slot === "update" ? [[one.message, one.sections]] : [])));
  const told = new Map(said.map((one) => [one.message, one]));
  const states = parts.filter(({ slot }) => slot === "state");
  const history = states.length > 0 ? request.messages.slice(0, -1) : request.messages;
  for (const [at, message] of history.entries()) {
    const sections = updates.get(at);
    if (sections) {
      for (const one of sections) addSection(one, "update", "history", `#${at}`);
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

/** A prompt that was made to fit: its text, its sections, and what gave way in it. */
type Fitted = {
  readonly text: string;
  readonly sections: readonly (Stretch & { readonly name: string })[];
  readonly cuts: readonly { readonly section: string }[];
  readonly omitted: readonly { readonly name: string; readonly reason: string }[];
};

/** The words that a smaller prompt leaves out: of each section that gave way, what does not stand in it any more. */
export function cutBy({ text, blocks }: PromptDocument, fitted: Fitted): readonly Stretch[] {
  const left = new Map(fitted.sections.map((one) => [one.name, fitted.text.slice(one.start, one.end)]));
  const gaveWay = new Set([
    ...fitted.cuts.map(({ section }) => section),
    ...fitted.omitted.filter(({ reason }) => reason === "gave-way").map(({ name }) => name),
  ]);
  return blocks.flatMap((block) => {
    if (block.kind !== "section" || !gaveWay.has(block.name)) return [];
    const { start, end } = block;
    const words = left.get(block.name);
    if (words === undefined) return [{ start, end }];
    return notIn(text.slice(start, end), words).map((one) => ({ start: start + one.start, end: start + one.end }));
  });
}
