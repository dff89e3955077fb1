import type { Charter, Edition } from "../prompt/charter.ts";
import { planOf } from "../prompt/plan.ts";
import type { Prompt } from "../prompt/prompt.ts";
import { type Placement, type SectionText, type SentSpan, sectionTexts } from "../prompt/receipt.ts";
import type { Stability } from "../prompt/section.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import type { Message } from "./model.ts";
import type { Receiver } from "./receiver.ts";

/**
 * What the requests of a session start with: the stable text as first sent, and the updates sent since. Store it with
 * the session, as it is; `deliver` returns the next one.
 */
export type Baseline = {
  readonly version: 1;
  /** The mark of the session is derived from it. */
  readonly secret: string;
  /** The stable sections, each without the separator after it. */
  readonly words: readonly SectionText[];
  readonly updates: readonly Update[];
  /** The digest of the tools that were offered: providers cache them before everything else. */
  readonly offers: string;
  /** The edition of the prompt that was sent last. */
  readonly edition?: Edition;
  /** Live sections that count as stable, and in how many turns in a row their text changed, up to which turn. */
  readonly changes?: Readonly<Record<string, { readonly turn: string; readonly turns: number }>>;
  /** What was said before the turns that are still sent, if the history was compacted. */
  readonly summary: Summary | null;
};

/** A message of the history that tells what changed in a section. */
export type Update = {
  readonly turn: string;
  readonly step: number;
  readonly section: string;
  readonly text: string;
  /** Whose words the message consists of. Null: it says that the section no longer applies. */
  readonly told: ToldWords | null;
  /** The section's whole text from then on. Only the newest update of a section has it. */
  readonly words?: SectionText;
};

/**
 * A compacted history: everything up to the turn `until`, in the model's words. With `step` that turn was compacted
 * while it ran: everything before it and its steps up to this one are summed up, and its input still stands.
 */
export type Summary = {
  readonly text: string;
  readonly until: string;
  readonly tainted: boolean;
  readonly step?: number;
  /** The files that were read and changed in it, by their paths. */
  readonly files?: { readonly read: readonly string[]; readonly changed: readonly string[] };
  /** Something of it was left out and is in no notes: it is only on record. */
  readonly leftOut?: true;
};

/**
 * The turns that are sent besides a summary, as `store.sessions.history` is asked for them: those after it, and the one
 * it ends in where that one went on.
 */
export function turnsBeside(summary: Summary | null | undefined): { readonly after?: string; readonly from?: string } {
  if (!summary) return {};
  return summary.step === undefined ? { after: summary.until } : { from: summary.until };
}

/** Everything about the text of an update except the text. */
type ToldWords = Omit<SectionText, "name" | "text">;

/** The words a session last said of a section; null when it said that they are gone. */
export function lastSaid(baseline: Baseline, section: string): SectionText | null | undefined {
  const update = baseline.updates.findLast((one) => one.section === section);
  if (update) return update.told === null ? null : update.words;
  return baseline.words.find(({ name }) => name === section);
}

/** Updates with those of now. The words of earlier ones are needed no more where a later one tells of the section. */
export function withUpdates(earlier: readonly Update[], fresh: readonly Update[]): Update[] {
  const sections = new Set(fresh.map(({ section }) => section));
  return [...earlier.map((one) => (sections.has(one.section) ? withoutWords(one) : one)), ...fresh];
}

function withoutWords({ words: _, ...update }: Update): Update {
  return update;
}

/** Reads a baseline that came back from a store; null if it is none. */
export function baselineOf(value: unknown): Baseline | null {
  const found = value as Baseline | null | undefined;
  if (found?.version !== 1 || !Array.isArray(found.words) || !Array.isArray(found.updates)) return null;
  return found.updates.every(({ told }) => told !== undefined) ? found : withTold(found);
}

/** An earlier release kept the section's whole words with every update, each of which told all of them. */
type WholeUpdate = Omit<Update, "told" | "words"> & { readonly words: SectionText | null };

function withTold(found: Baseline): Baseline {
  const updates = (found.updates as readonly (Update | WholeUpdate)[]).map((one): Update => {
    if ("told" in one) return one;
    const { words, ...update } = one;
    if (words === null) return { ...update, told: null };
    const { name: _, text, ...told } = introduced(words, one.text.slice(0, one.text.length - words.text.length));
    return { ...update, told, words };
  });
  return { ...found, updates: updates.reduce<Update[]>((all, one) => withUpdates(all, [one]), []) };
}

/** How words move, for delivery: fixed words stand in the prefix, whatever else stands in their section. */
export function stabilityOf({ mutability, stability }: Pick<SectionText, "mutability" | "stability">): Stability {
  return mutability === "fixed" ? "stable" : stability;
}

/** A prompt's sections, each without the separator after it: what a slot puts together anew. */
export function bodiesOf(prompt: Prompt, tokenizer: Tokenizer | undefined): SectionText[] {
  return sectionTexts(prompt, tokenizer).map((words, index) => {
    const gap = prompt.sections[index]?.gap ?? 0;
    return gap === 0 ? words : { ...words, text: words.text.slice(0, -gap), spans: longer(words.spans, -gap) };
  });
}

const joined = new WeakMap<SectionText, Map<string, SectionText>>();

/**
 * Sections in a slot, with what the charter puts between them. What stands after a section depends on the next one in
 * the same slot only, so nothing that moves elsewhere can change these bytes. The same words give the same objects.
 */
export function joinWords(charter: Charter, bodies: readonly SectionText[]): SectionText[] {
  const { byName } = planOf(charter);
  return bodies.map((words, index) => {
    const next = bodies[index + 1];
    if (next === undefined) return words;
    const planned = byName.get(words.name);
    const gap = planned === undefined ? "\n\n" : next.layer === words.layer ? planned.within : planned.after;
    return withGap(words, gap);
  });
}

/** Words with what parts them from the next. */
export function withGap(words: SectionText, gap: string): SectionText {
  if (gap === "") return words;
  const known = joined.get(words) ?? new Map<string, SectionText>();
  joined.set(words, known);
  const longerWords = known.get(gap) ?? { ...words, text: words.text + gap, spans: longer(words.spans, gap.length) };
  known.set(gap, longerWords);
  return longerWords;
}

function longer(spans: readonly SentSpan[], by: number): SentSpan[] {
  return spans.map((span, index) => (index === spans.length - 1 ? { ...span, length: span.length + by } : span));
}

const own = { mutability: "live", stability: "stable", trust: "own", revision: null } as const;
const byDelivery = { source: "delivery", revision: null, trust: "own" } as const;

/** Words of delivery's own before a section's. */
function introduced(words: SectionText, opening: string, tokenizer?: Tokenizer): SectionText {
  if (opening === "") return words;
  const spans = [{ ...byDelivery, length: opening.length }, ...words.spans];
  const tokens = tokenizer && words.tokens !== null ? words.tokens + tokenizer.count(opening) : null;
  return { ...words, text: opening + words.text, spans, tokens };
}

/** Words that are no section of the charter: code says them, for this request. */
export function codeWords(
  about: Pick<SectionText, "name" | "layer" | "source" | "stability" | "text">,
  tokenizer: Tokenizer | undefined,
): SectionText {
  const { text, source } = about;
  const spans = [{ length: text.length, source, revision: null, trust: "own" as const }];
  return { ...own, ...about, spans, tokens: tokenizer?.count(text) ?? null };
}

/** What the prefix says of the mark, as a section of delivery's own. */
export function markWords(text: string, tokenizer: Tokenizer | undefined): SectionText {
  return codeWords({ name: "mark", layer: "delivery", source: "delivery", stability: "stable", text }, tokenizer);
}

/** What a message that tells of a section's new words begins with, behind the mark. */
export function updateOpening(section: string): string {
  return `Your prompt has changed: “${section}” now reads:\n\n`;
}

/** The message that tells of a section's new words, all of them, or that it has none; an event is told as it is. */
export function updateWords(section: string, words: SectionText | null, mark?: string): SectionText {
  const opening = markOpening(mark);
  if (words === null) return goneWords(section, `${opening}Your prompt has changed: “${section}” no longer applies.`);
  if (stabilityOf(words) === "event") return introduced(words, opening);
  return introduced(words, opening + updateOpening(section));
}

/** What a message begins with that speaks for the system, where it needs a mark. */
export function markOpening(mark: string | undefined): string {
  return mark === undefined ? "" : `${mark} `;
}

/** A message that says a section no longer applies. */
function goneWords(section: string, text: string): SectionText {
  const gone = { ...own, name: section, layer: "delivery", source: "delivery", tokens: null };
  return { ...gone, text, spans: [{ ...byDelivery, length: text.length }] };
}

/** The tail of a request: every section of state that has words, as it is now. */
export function stateWords(
  charter: Charter,
  bodies: readonly SectionText[],
  mark?: string,
  tokenizer?: Tokenizer,
): SectionText[] {
  const speaking = bodies.filter(({ text }) => text.trim() !== "");
  const [first, ...others] = joinWords(charter, speaking);
  if (first === undefined) return [];
  return [mark === undefined ? first : introduced(first, `${mark}\n`, tokenizer), ...others];
}

/** What was said of a section, as the message it is in a history. */
export function updateMessage({ text, section }: Update, { voice }: Receiver): Message {
  return { role: voice, text, update: section };
}

export function isUpdate(message: Message): boolean {
  return (message.role === "system" || message.role === "user") && message.update !== undefined;
}

/** The messages of a history that a baseline leaves in it: what was said of words that are in the prefix now is not. */
export function withoutFoldedUpdates(messages: readonly Message[], { updates }: Baseline): Message[] {
  return messages.filter((message) => !isUpdate(message) || updates.some((one) => isUpdateOf(message, one)));
}

/** Where in a history each update stands, in their order; -1 for one that is not there. */
export function updatePlaces(updates: readonly Update[], history: readonly Message[]): number[] {
  let from = 0;
  return updates.map((one) => {
    let place = from;
    while (place < history.length && !isUpdateOf(history[place] as Message, one)) place++;
    if (place === history.length) return -1;
    from = place + 1;
    return place;
  });
}

export function updatePlacements(updates: readonly Update[], history: readonly Message[]): Placement[] {
  const places = updatePlaces(updates, history);
  return updates.flatMap((one, index) => {
    const message = places[index] as number;
    return message === -1 ? [] : [{ slot: "update", sections: [toldIn(one)], message }];
  });
}

/** What an update tells, as words of its section. */
function toldIn({ section, text, told }: Update): SectionText {
  return told === null ? goneWords(section, text) : { ...told, name: section, text };
}

/** It stands in the history only until its words are in the prefix. An event stays there. */
export function isWaiting({ told }: Update): boolean {
  return told === null || stabilityOf(told) !== "event";
}

/** Is it what the session said then, word for word? */
export function isUpdateOf(message: Message, { section, text }: Update): boolean {
  return isUpdate(message) && "update" in message && message.update === section && message.text === text;
}
