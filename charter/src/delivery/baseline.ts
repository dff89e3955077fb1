import { defined } from "../prompt/argument.ts";
import { remembered } from "../prompt/bounds.ts";
import { lineEnd, preview } from "../prompt/character.ts";
import type { Charter, Edition } from "../prompt/charter.ts";
import { planOf } from "../prompt/plan.ts";
import { type Prompt, type SentSpan, sectionTexts } from "../prompt/prompt.ts";
import type { Placement, SectionText } from "../prompt/receipt.ts";
import type { Stability } from "../prompt/section.ts";
import type { ForeignText } from "../prompt/step-result.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import { ignored, lookAlikeReadings } from "./mark.ts";
import type { Message, ToolOffer } from "./model.ts";
import type { Receiver } from "./receiver.ts";

/**
 * The start of a session's requests: the stable text as first sent, and the updates sent since. Store it with the session, as it
 * is; `deliver` returns the next one.
 */
export type Baseline = {
  /** In version 1 other people's text was part of the prefix, and state was sent anew with each request: it folds. */
  readonly version: 1 | 2;
  /** The secret that the session's mark is derived from. */
  readonly secret: string;
  /** The stable sections, without those of other people, each without the separator after it. */
  readonly words: readonly SectionText[];
  readonly updates: readonly Update[];
  /** The digest of the offered tools: providers cache them before everything else. */
  readonly offers: string;
  /** The step in which the session was opened, or folded last. A receiver that binds its reasoning gets none from before it. */
  readonly since?: StepPlace;
  /** The tools of the prefix and those of now, where a message of the history told of a change. */
  readonly tools?: { readonly prefix: readonly ToolOffer[]; readonly now: readonly ToolOffer[] };
  /** Shows that its receiver binds reasoning, known or found out. */
  readonly binds?: true;
  /** Shows that a hook changed messages of a turn, and that what was reasoned there is bound to them. */
  readonly rewritten?: true;
  /** The digest of the system prompt, where it is one string. */
  readonly whole?: string;
  /** The edition of the prompt that was sent last. */
  readonly edition?: Edition;
  /** The summary of the turns that are no longer sent, if the history was compacted. */
  readonly summary: Summary | null;
};

/** A step of a turn. */
export type StepPlace = { readonly turn: string; readonly step: number };

/** A message of the history that tells what changed in a section. */
export type Update = {
  readonly turn: string;
  readonly step: number;
  readonly section: string;
  readonly text: string;
  /** The sources of the message's text. Null: it says that the section no longer applies. */
  readonly told: ToldWords | null;
  /** The section's whole text from then on, where it is not the message without delivery's own words. Only the newest has it. */
  readonly words?: SectionText;
  /** Shows that the receiver forgets it with the next message of the user: nothing takes it back. */
  readonly clears?: true;
};

/**
 * A compacted history: everything up to the turn `until`, in the model's words. With `step` that turn was compacted while it ran:
 * everything before it and its steps up to this one are summed up, and its input is still sent.
 */
export type Summary = {
  readonly text: string;
  readonly until: string;
  readonly tainted: boolean;
  /** The texts of others that the session had by then, where that is known. */
  readonly foreign?: readonly ForeignText[];
  readonly step?: number;
  /** The files that were read and changed in the summed-up turns, by their paths. */
  readonly files?: { readonly read: readonly string[]; readonly changed: readonly string[] };
  /** Shows that something was left out of the summary and is in no notes: it is only on record. */
  readonly leftOut?: true;
};

/**
 * Selects the turns that are sent besides a summary, as arguments for `store.sessions.history`: the turns after it, and the one
 * it ends in where that one continued.
 */
export function turnsBeside(summary: Summary | null | undefined): { readonly after?: string; readonly from?: string } {
  if (!summary) return {};
  return summary.step === undefined ? { after: summary.until } : { from: summary.until };
}

/** Facts about the text of an update, without the text. */
type ToldWords = Omit<SectionText, "name" | "text">;

/** Returns the text a session last sent of a section; null when it said that the section is gone. */
export function lastSaid(baseline: Baseline, section: string): SectionText | null | undefined {
  const update = baseline.updates.findLast((one) => one.section === section && !one.clears);
  return update ? saidIn(update) : baseline.words.find(({ name }) => name === section);
}

/** Returns the section's whole text by an update; null when that said that the section is gone. */
export const saidIn = remembered(({ section: name, text, told, words }: Update): SectionText | null => {
  if (told === null || words) return words ?? null;
  const isOwn = ({ source }: SentSpan) => source !== byDelivery.source;
  const first = told.spans.findIndex(isOwn);
  const spans = told.spans.slice(first, told.spans.findLastIndex(isOwn) + 1);
  const from = lengthOf(told.spans.slice(0, first));
  return { ...told, name, text: text.slice(from, from + lengthOf(spans)), spans, tokens: null };
});

function lengthOf(spans: readonly SentSpan[]): number {
  return spans.reduce((sum, { length }) => sum + length, 0);
}

/** Appends new updates to earlier ones. An earlier one loses its section's text where a later one covers the section. */
export function withUpdates(earlier: readonly Update[], fresh: readonly Update[]): Update[] {
  const sections = new Set(fresh.map(({ section }) => section));
  const kept = earlier.map((one) => {
    const { words, ...update } = one;
    return words && sections.has(one.section) ? update : one;
  });
  return [...kept, ...fresh];
}

/** Reads a baseline that came back from a store; null if it is none. */
export function baselineOf(value: unknown): Baseline | null {
  const baseline = value as Baseline | null | undefined;
  if (
    (baseline?.version !== 1 && baseline?.version !== 2) ||
    !Array.isArray(baseline.words) ||
    !Array.isArray(baseline.updates)
  )
    return null;
  return baseline;
}

/** Returns the stability that delivery uses: fixed text is part of the prefix, whatever its section declares. */
export function stabilityOf({ mutability, stability }: Pick<SectionText, "mutability" | "stability">): Stability {
  return mutability === "fixed" ? "stable" : stability;
}

/** Returns true for text of the prefix. Other people's is a message of its own: it has no system's voice. */
export function isPrefix(words: SectionText): boolean {
  return stabilityOf(words) === "stable" && words.trust !== "foreign";
}

/** Lists a prompt's sections, each without the separator after it: a slot joins them anew. */
export function bodiesOf(prompt: Prompt, tokenizer: Tokenizer | undefined): SectionText[] {
  return sectionTexts(prompt, tokenizer).map((words, index) => {
    const gap = prompt.sections[index]?.gap ?? 0;
    return gap === 0 ? words : withEnd(words, gap);
  });
}

/**
 * Joins the sections of a slot with the charter's separators. The separator after a section depends only on the next one in the
 * same slot, so nothing that moves elsewhere can change these bytes. The same text gives the same objects.
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

/** Appends a separator to a section's text. */
export function withGap(words: SectionText, gap: string): SectionText {
  return gap === "" ? words : withEnd(words, gap);
}

const ends = remembered((_: SectionText) => new Map<string | number, SectionText>());

/** Appends to a section's text, or leaves out so many characters at its end; the same change gives the same words. */
function withEnd(words: SectionText, end: string | number): SectionText {
  const known = ends(words);
  const [text, by] = typeof end === "number" ? [words.text.slice(0, -end), -end] : [words.text + end, end.length];
  const spans = words.spans.map((span, at, { length }) =>
    at === length - 1 ? { ...span, length: span.length + by } : span,
  );
  const changed = known.get(end) ?? { ...words, text, spans };
  known.set(end, changed);
  return changed;
}

const own = { mutability: "live", stability: "stable", trust: "own", revision: null } as const;
const byDelivery = { source: "delivery", revision: null, trust: "own" } as const;

/** Puts delivery's own words before a section's. */
function introduced(words: SectionText, opening: string, tokenizer?: Tokenizer): SectionText {
  if (opening === "") return words;
  const spans = [{ ...byDelivery, length: opening.length }, ...words.spans];
  const tokens = tokenizer && words.tokens !== null ? words.tokens + tokenizer.count(opening) : null;
  return { ...words, text: opening + words.text, spans, tokens };
}

/** Makes a text of code's own, for this request: it is no section of the charter. */
export function codeWords(
  about: Pick<SectionText, "name" | "layer" | "source" | "stability" | "text">,
  tokenizer: Tokenizer | undefined,
): SectionText {
  const { text, source } = about;
  const spans = [{ length: text.length, source, revision: null, trust: "own" as const }];
  return { ...own, ...about, spans, tokens: tokenizer?.count(text) ?? null };
}

/** Makes a section of delivery's own that explains the mark. */
export function markWords(text: string, tokenizer: Tokenizer | undefined): SectionText {
  return codeWords({ name: "mark", layer: "delivery", source: "delivery", stability: "stable", text }, tokenizer);
}

export const untrustedOpening = "<untrusted_text>\n";
const untrustedClosing = "\n</untrusted_text>";

/** Replaces what opens a tag of this name, in each way a text may be read, by a sign of the same length. */
function withoutTags(text: string): string {
  let plain = text;
  for (const read of lookAlikeReadings(text))
    for (const { index } of read.matchAll(likeTag)) plain = `${plain.slice(0, index)}‹${plain.slice(index + 1)}`;
  return plain;
}

const likeTag = new RegExp(`<(?=${ignored}(?:/${ignored})?${[..."untrusted_text"].join(ignored)})`, "giu");

/** Encloses other people's text in a tag that says so. A tag of this name inside is none any more; its length is the same. */
const untrusted = remembered((words: SectionText): SectionText => {
  const { text, spans, ...about } = introduced({ ...words, text: withoutTags(words.text) }, untrustedOpening);
  const closing = { ...byDelivery, length: untrustedClosing.length };
  return { ...about, text: text + untrustedClosing, spans: [...spans, closing], tokens: null };
});

/** Names a section as its reader knows it: by its heading, else by its first words; others' words name nothing. */
export function labelOf(section: string, heading: string | undefined, words: SectionText | null | undefined): string {
  const text = heading ?? (words?.trust === "own" ? words.text : "");
  const line = text.split(lineEnd).find((one) => one.trim() !== "") ?? "";
  return preview(line.replace(/^[#\s]+/, "").trim(), 60) || section;
}

/** Returns the beginning of a message with a section's new text, after the mark. */
export function updateOpening(label: string): string {
  return `Your prompt has changed: “${label}” now reads:\n\n`;
}

/** The section of a message, how it is named there, its text last sent and its text now (null: it has none). */
export type ToldSection = {
  readonly section: string;
  readonly label: string;
  readonly before: SectionText | null | undefined;
  readonly now: SectionText | null;
};

/**
 * Makes the message that tells a section's whole new text, or that it is gone. Events, state and other people's text are sent as
 * they are.
 */
export function updateWords({ section, label, now }: Omit<ToldSection, "before">, mark?: string): SectionText {
  const opening = markOpening(mark);
  if (now === null) return goneWords(section, `${opening}Your prompt has changed: “${label}” no longer applies.`);
  if (now.trust === "foreign") return untrusted(now);
  if (stabilityOf(now) !== "stable") return introduced(now, opening);
  return introduced(now, opening + updateOpening(label));
}

/** Returns the beginning of a message that speaks for the system: the mark, where one is needed. */
export function markOpening(mark: string | undefined): string {
  return mark === undefined ? "" : `${mark} `;
}

/** The layer of what hooks add to a prompt, for one turn. */
export const hookLayer = "hooks";

/** The name of the update that tells of other tools, as JSON; no section's name has a blank in it. */
export const toolsUpdate = "the tools";

/** A change of the offered tools: those that are new or others by now, and the names of those that went. */
export type ToolChange = { readonly added: readonly ToolOffer[]; readonly removed: readonly string[] };

/** Makes the words of a message that changes the tools. */
export function toolChangeWords(before: readonly ToolOffer[], now: readonly ToolOffer[]): SectionText {
  const known = new Map(before.map((one) => [one.name, JSON.stringify(one)]));
  const names = new Set(now.map(({ name }) => name));
  const change: ToolChange = {
    added: now.filter((one) => known.get(one.name) !== JSON.stringify(one)),
    removed: before.map(({ name }) => name).filter((name) => !names.has(name)),
  };
  const about = { name: toolsUpdate, layer: "delivery", source: "delivery", stability: "stable" } as const;
  return codeWords({ ...about, text: JSON.stringify(change) }, undefined);
}

/** Makes a message that says a section no longer applies. */
function goneWords(section: string, text: string): SectionText {
  const facts = { ...own, name: section, layer: "delivery", source: "delivery", tokens: null };
  return { ...facts, text, spans: [{ ...byDelivery, length: text.length }] };
}

/** Returns true for an update that speaks for the system: other people's text never does. */
export function isOwn({ told }: Pick<Update, "told">): boolean {
  return told?.trust !== "foreign";
}

/** Makes the message of the history that an update is; for the same role it is the same object. */
export function updateMessage(one: Update, { voice }: Pick<Receiver, "voice">): Message {
  return inRole(one)(isOwn(one) ? voice : "user");
}

const inRole = remembered(({ text, section, clears }: Update) => {
  let made: Extract<Message, { text: string }> | undefined;
  return (role: "system" | "user"): Message => {
    if (made?.role !== role) made = { role, text, update: section, ...defined({ clears }) };
    return made;
  };
});

/**
 * Puts updates around a user's message. In the user's role the system speaks before it; in its own role after it, directly before
 * the answer. Other people's text comes after it.
 */
export function besideInput(updates: readonly Update[], input: Message, receiver: Pick<Receiver, "voice">): Message[] {
  const messages = inSentOrder(updates, receiver).map((one) => updateMessage(one, receiver));
  return messages.toSpliced(receiver.voice === "user" ? updates.filter(isOwn).length : 0, 0, input);
}

/** Puts updates into the order in which they are sent. */
export function inSentOrder(updates: readonly Update[], { voice }: Pick<Receiver, "voice">): Update[] {
  const [own, foreign] = [updates.filter(isOwn), updates.filter((one) => !isOwn(one))];
  return voice === "user" ? [...own, ...foreign] : [...foreign, ...own];
}

/** A message of the history that is an update. */
type UpdateMessage = Extract<Message, { readonly update?: string }> & { readonly update: string };

export function isUpdate(message: Message): message is UpdateMessage {
  return "update" in message && message.update !== undefined;
}

/** Removes the update messages whose text is in the prefix now. */
export function withoutFoldedUpdates(messages: readonly Message[], { updates }: Pick<Baseline, "updates">): Message[] {
  return messages.filter((message) => !isUpdate(message) || isTold(message, updates));
}

/** Finds the index of each update in a history; -1 for one that is missing. */
export function updatePlaces(updates: readonly Update[], history: readonly Message[]): readonly number[] {
  return placesIn(history)(updates);
}

const placesIn = remembered((history: readonly Message[]) => {
  const told = history.flatMap((message, index) => (isUpdate(message) ? { message, index } : []));
  return remembered((updates: readonly Update[]): readonly number[] => {
    const left = new Set(told);
    return updates.map((one) => {
      const place = [...left].find(({ message }) => isUpdateOf(message, one));
      return place && left.delete(place) ? place.index : -1;
    });
  });
});

export function updatePlacements(updates: readonly Update[], history: readonly Message[]): Placement[] {
  const places = updatePlaces(updates, history);
  return updates.flatMap((one, index) => {
    const message = places[index] as number;
    return message === -1 ? [] : [{ slot: "update", sections: [sectionTextOf(one)], message }];
  });
}

/** Returns the text of an update as a section's. */
function sectionTextOf({ section, text, told }: Update): SectionText {
  return told === null ? goneWords(section, text) : { ...told, name: section, text };
}

/** Returns true if an update is left out of the history when the session folds. An event stays. */
export function isWaiting({ told }: Update): boolean {
  return told === null || stabilityOf(told) !== "event";
}

const byText = remembered((updates: readonly Update[]) => Map.groupBy(updates, ({ text }) => text));

/** Returns true if a message is one of these updates, word for word. */
export function isTold(message: Message, updates: readonly Update[]): boolean {
  return (
    isUpdate(message) &&
    byText(updates)
      .get(message.text)
      ?.some((one) => isUpdateOf(message, one)) === true
  );
}

/** Returns true if a message is this update, word for word. */
export function isUpdateOf(message: Message, { section, text }: Update): boolean {
  return isUpdate(message) && message.update === section && message.text === text;
}
