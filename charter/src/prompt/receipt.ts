import { badArgument } from "./argument.ts";
import { allSections, type Charter } from "./charter.ts";
import type { Cut, Omission } from "./cut.ts";
import type { Edition } from "./edition.ts";
import { lockDigest } from "./lock.ts";
import type { Notice } from "./notice.ts";
import type { Prompt, Sha256 } from "./prompt.ts";
import type { SectionSpan, Span } from "./span.ts";
import type { Tokenizer } from "./tokens.ts";

/** What a step keeps of what was sent: enough to rebuild the exact bytes, and to say whose they were. */
export type Receipt = {
  readonly charter: string;
  readonly edition: Edition;
  /** The digest of the charter's fixed words, as they were locked. */
  readonly lock: string;
  readonly receiver: string | null;
  readonly slots: readonly SentSlot[];
  readonly tokens: { readonly tokenizer: string; readonly exact: boolean; readonly total: number } | null;
  readonly cuts: readonly Cut[];
  readonly omitted: readonly Omission[];
  readonly notices: readonly Notice[];
  /** The messages that were sent besides, and what all of it was expected to cost. */
  readonly history?: SentHistory;
  readonly predicted?: CacheTokens;
};

/** Words the receiver read in one place, in order. A breakpoint stands after so many sections. */
export type SentSlot = {
  readonly slot: string;
  readonly digest: string;
  readonly sections: readonly SentSection[];
  readonly breakpoints: readonly number[];
  /** Which message of the history it was, counted from 0, where it was one. */
  readonly message?: number;
};

/** The history by its length and digest: its words are kept with the turns they were said in. */
export type SentHistory = {
  readonly messages: number;
  readonly digest: string;
  readonly tokens: number | null;
  /** A breakpoint stands after so many messages. */
  readonly breakpoints: readonly number[];
};

/** Tokens of a request by what they are billed as: read from the cache, written to it, or neither. */
export type CacheTokens = { readonly read: number; readonly written: number; readonly fresh: number };

export type SentSection = Omit<SectionSpan, "start" | "end" | "gap"> & {
  readonly digest: string;
  /** Its text is the agent's common words, or this turn's user's. */
  readonly whose: "agent" | "user";
  readonly tokens: number | null;
  readonly spans: readonly SentSpan[];
  readonly predicted?: CacheTokens;
};

export type SentSpan = Pick<Span, "source" | "revision" | "trust" | "part"> & { readonly length: number };

/** One section's words as they stand in a slot, and whose they are. */
export type SectionText = Omit<SectionSpan, "start" | "end" | "gap"> & {
  readonly text: string;
  readonly spans: readonly SentSpan[];
  readonly tokens: number | null;
  readonly predicted?: CacheTokens;
};

/** Where sections were placed: those of the prompt by name, others by their words. Without it all are one string. */
export type Placement = {
  readonly slot: string;
  readonly sections: readonly (string | SectionText)[];
  readonly breakpoints?: readonly number[];
  readonly message?: number;
};

type ReceiptOptions = {
  readonly sha256: Sha256;
  readonly tokenizer?: Tokenizer;
  readonly receiver?: string;
  readonly placements?: readonly Placement[];
  readonly history?: SentHistory;
  readonly predicted?: CacheTokens;
};

/** A text a receipt names by its digest. */
export type ReceiptText = {
  readonly section: string;
  readonly whose: "agent" | "user";
  readonly digest: string;
  readonly text: string;
};

export function receiptOf(
  charter: Charter,
  prompt: Prompt,
  options: ReceiptOptions,
): { readonly receipt: Receipt; readonly texts: readonly ReceiptText[] } {
  if (typeof prompt?.text !== "string" || typeof options?.sha256 !== "function")
    throw badArgument(
      "receiptOf was given no prompt, or no sha256.",
      "Give receiptOf(charter, prompt, { sha256 }): what assemble made, and a function from a text to its SHA-256, in hex.",
    );
  const { sha256, tokenizer, receiver = null, history, predicted } = options;
  const counted = tokenizer ? prompt.tokens(tokenizer) : undefined;
  const texts: ReceiptText[] = [];
  const byName = new Map<string, SectionText>();
  const named = (name: string): SectionText | undefined => {
    if (byName.size === 0) for (const words of sectionTexts(prompt, tokenizer)) byName.set(words.name, words);
    return byName.get(name);
  };
  const everything: Placement = { slot: "system", sections: prompt.sections.map(({ name }) => name) };
  const slots = (options.placements ?? [everything]).map((placement): SentSlot => {
    const placed = placement.sections.flatMap((one) => (typeof one === "string" ? (named(one) ?? []) : one));
    const digest = slotDigest(placed, sha256);
    const sections = placed.map((words) => {
      const { text, ...about } = words;
      const sent: SentSection = { ...about, digest: digestOf(words, sha256), whose: whoseWords(charter, words) };
      texts.push({ section: words.name, whose: sent.whose, digest: sent.digest, text });
      return sent;
    });
    const { slot, breakpoints = [], message } = placement;
    return { slot, digest, sections, breakpoints, ...(message === undefined ? {} : { message }) };
  });
  const { edition, cuts, omitted, notices } = prompt;
  const tokens = counted && { tokenizer: counted.tokenizer, exact: counted.exact, total: counted.total };
  const lock = lockDigest(charter, sha256);
  const receipt = { charter: charter.name, edition, lock, receiver, slots, tokens: tokens ?? null };
  const besides = { ...(history ? { history } : {}), ...(predicted ? { predicted } : {}) };
  return { receipt: { ...receipt, cuts, omitted, notices, ...besides }, texts };
}

/** A prompt's sections one by one, each with the separator that stands after it. */
export function sectionTexts(prompt: Prompt, tokenizer?: Tokenizer): SectionText[] {
  const counted = tokenizer ? prompt.tokens(tokenizer) : undefined;
  const spans = Map.groupBy(prompt.spans, ({ section }) => section);
  return prompt.sections.map(({ start, end, gap: _, ...about }, index) => ({
    ...about,
    text: prompt.text.slice(start, end),
    tokens: counted?.sections[index] ?? null,
    spans: (spans.get(about.name) ?? []).map(sentSpan),
  }));
}

function sentSpan({ start, end, source, revision, trust, part }: Span): SentSpan {
  return { length: end - start, source, revision, trust, ...(part === undefined ? {} : { part }) };
}

/** What was digested, known by the spans that came with it: words that are said again are not digested again. */
type Digested = { readonly by: Sha256; readonly texts: readonly string[]; readonly digest: string };
const digestedSections = new WeakMap<SectionText["spans"], Digested>();
const digestedSlots = new WeakMap<SectionText["spans"], Digested>();

function digestOf({ spans, text }: SectionText, sha256: Sha256): string {
  const known = digestedSections.get(spans);
  if (known?.by === sha256 && known.texts[0] === text) return known.digest;
  const digest = sha256(text);
  digestedSections.set(spans, { by: sha256, texts: [text], digest });
  return digest;
}

function slotDigest(placed: readonly SectionText[], sha256: Sha256): string {
  const [first] = placed;
  if (first === undefined) return sha256("");
  if (placed.length === 1) return digestOf(first, sha256);
  const known = digestedSlots.get(first.spans);
  const same = known?.texts.length === placed.length && placed.every(({ text }, index) => known.texts[index] === text);
  if (known?.by === sha256 && same) return known.digest;
  const texts = placed.map(({ text }) => text);
  const digest = sha256(texts.join(""));
  digestedSlots.set(first.spans, { by: sha256, texts, digest });
  return digest;
}

/**
 * Fixed words and the agent's own are everyone's; whatever a turn made afresh may speak of its user, and so may words a
 * session still carries of a section the charter no longer has.
 */
function whoseWords(charter: Charter, { name, mutability }: SectionText): "agent" | "user" {
  if (mutability === "fixed") return "agent";
  if (mutability === "live") return "user";
  const placed = allSections(charter).find(({ section }) => section.name === name);
  return placed && placed.section.scope !== "user" ? "agent" : "user";
}

/** The exact words of each slot, from the texts a receipt names. A text that is gone is the caller's to report. */
export function rebuild(
  { slots }: Receipt,
  textOf: (section: SentSection) => string,
): readonly { readonly slot: string; readonly text: string; readonly digest: string; readonly message?: number }[] {
  return slots.map(({ slot, sections, digest, message }) => ({
    slot,
    digest,
    text: sections.map(textOf).join(""),
    ...(message === undefined ? {} : { message }),
  }));
}
