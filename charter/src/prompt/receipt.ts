import { badArgument, checkNames, isSha256 } from "./argument.ts";
import { allSections, type Charter, type Edition, sectionScope } from "./charter.ts";
import { lockDigest } from "./lock.ts";
import type { Cut, Omission } from "./plan.ts";
import { type Prompt, type SectionSpan, type SentSpan, type Sha256, sectionTexts } from "./prompt.ts";
import type { Notice } from "./reading.ts";
import type { Attachment, AttachmentKind } from "./step-result.ts";
import type { Tokenizer } from "./tokens.ts";

/**
 * The record of what one request contained: enough to rebuild the exact bytes, and to say where each of them came from.
 * `store.turns.recordStep` keeps it.
 */
export type Receipt = {
  readonly charter: string;
  readonly edition: Edition;
  /** The digest of the charter's fixed text. */
  readonly lock: string;
  /** The model it was sent to. */
  readonly receiver: string | null;
  readonly slots: readonly SentSlot[];
  readonly tokens: { readonly tokenizer: string; readonly exact: boolean; readonly total: number } | null;
  readonly cuts: readonly Cut[];
  readonly omitted: readonly Omission[];
  readonly notices: readonly Notice[];
  /**
   * The slot of the receiver's protocol the system prompt was put into, and whether with this request or an earlier one; for a
   * receiver that keeps the conversation itself.
   */
  readonly identity?: { readonly slot: string; readonly sent: boolean };
  /** The digest of the tools that were offered with it, as JSON; they are kept with the texts of this turn's user. */
  readonly offers?: string;
  /** "none": the tools could not be called. */
  readonly toolChoice?: "none";
  /** Maximum number of tokens of the answer, where that was less than the receiver allows. */
  readonly answerTokens?: number;
  /** The digest of the format the answer had to have, as JSON; kept as the tools are. */
  readonly output?: string;
  /** The pictures and files in its messages, and the kinds of them that the receiver takes. */
  readonly attachments?: SentAttachments;
  /** The messages sent with it, and how the request was expected to be billed. */
  readonly history?: SentHistory;
  readonly predicted?: CacheTokens;
};

/**
 * Attachments of a request's messages. Those that were not `shown` were described in words: the receiver does not take their
 * kind.
 */
type SentAttachments = {
  readonly takes: readonly AttachmentKind[];
  readonly all: readonly (Attachment & { readonly tokens: number; readonly shown: boolean })[];
};

/**
 * The sections that were sent in one place of a request (system, an update, the state), with the digest of their text.
 */
export type SentSlot = {
  readonly slot: string;
  readonly digest: string;
  readonly sections: readonly SentSection[];
  /** Numbers of sections after which there was a cache breakpoint. */
  readonly breakpoints: readonly number[];
  /** The index of the history's message that the slot was, if it was one. */
  readonly message?: number;
};

/** Tokens of a request by how they are billed: read from the cache, written to it, or neither. */
export type CacheTokens = { readonly read: number; readonly written: number; readonly fresh: number };

/** A section as it was sent: everything about it except its text, which is found by the digest. */
export type SentSection = Omit<SectionSpan, "start" | "end" | "gap"> & {
  readonly digest: string;
  /** The owner of the text: the same for all users of the agent, or this turn's user's own. */
  readonly whose: "agent" | "user";
  readonly tokens: number | null;
  /** Tokens of the whole section as it is from then on, in an update that tells only what changed. */
  readonly whole?: number | null;
  readonly spans: readonly SentSpan[];
  readonly predicted?: CacheTokens;
};

/** A section's text as it is placed in a request, and who wrote it. */
export type SectionText = Omit<SectionSpan, "start" | "end" | "gap"> & {
  readonly text: string;
  readonly spans: readonly SentSpan[];
  readonly tokens: number | null;
  /** Tokens of the whole section as it is from then on, in an update that tells only what changed. */
  readonly whole?: number | null;
  readonly predicted?: CacheTokens;
};

/** A place in a request and its sections: those of the prompt by name, others with their text. */
export type Placement = {
  readonly slot: string;
  readonly sections: readonly (string | SectionText)[];
  readonly breakpoints?: readonly number[];
  readonly message?: number;
};

/** Options of `receiptOf`. Without `placements` the whole prompt was one system message. */
export type ReceiptOptions = {
  readonly sha256: Sha256;
  readonly tokenizer?: Tokenizer;
  readonly receiver?: string;
  readonly placements?: readonly Placement[];
  readonly identity?: Receipt["identity"];
  readonly attachments?: SentAttachments;
  readonly history?: SentHistory;
  readonly predicted?: CacheTokens;
  /** The rest of the request: the tools it offered, and the texts that `history` names. */
  readonly request?: RequestTexts;
};

/** A text that a receipt refers to by its digest; stored once, however often it is sent. */
export type ReceiptText = {
  readonly section: string;
  readonly whose: "agent" | "user";
  readonly digest: string;
  readonly text: string;
};

const receiptFields = "sha256 tokenizer receiver placements identity attachments history predicted request".split(" ");

/** Makes the receipt of a prompt that is about to be sent, and lists the texts to store with it. */
export function receiptOf(
  charter: Charter,
  prompt: Prompt,
  options: ReceiptOptions,
): { readonly receipt: Receipt; readonly texts: readonly ReceiptText[] } {
  if (typeof prompt?.text !== "string" || !isSha256(options?.sha256))
    throw badArgument(
      "receiptOf was given no prompt, or no sha256.",
      "Give receiptOf(charter, prompt, { sha256 }): what assemble made, and a function from a text to its SHA-256, in hex.",
    );
  checkNames("receiptOf", options, receiptFields as (keyof ReceiptOptions)[]);
  const { sha256, tokenizer, receiver = null, identity, attachments, history, predicted, request } = options;
  const counted = tokenizer ? prompt.tokens(tokenizer) : undefined;
  const texts: ReceiptText[] = [];
  const byName = new Map<string, SectionText>();
  const sectionNamed = (name: string): SectionText | undefined => {
    if (byName.size === 0) for (const words of sectionTexts(prompt, tokenizer)) byName.set(words.name, words);
    return byName.get(name);
  };
  const everything: Placement = { slot: "system", sections: prompt.sections.map(({ name }) => name) };
  const slots = (options.placements ?? [everything]).map((placement): SentSlot => {
    const placed = placement.sections.flatMap((one) => (typeof one === "string" ? (sectionNamed(one) ?? []) : one));
    const digest = slotDigest(placed, sha256);
    const sections = placed.map((words) => {
      const { text, ...about } = words;
      const sent: SentSection = { ...about, digest: sectionDigest(words, sha256), whose: whoseWords(charter, words) };
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
  const besides = {
    ...(identity ? { identity } : {}),
    ...(request ? { offers: request.offers.digest } : {}),
    ...(request?.toolChoice ? { toolChoice: request.toolChoice } : {}),
    ...(request?.answerTokens ? { answerTokens: request.answerTokens } : {}),
    ...(request?.output ? { output: request.output.digest } : {}),
    ...(attachments ? { attachments } : {}),
    ...(history ? { history } : {}),
    ...(predicted ? { predicted } : {}),
  };
  if (request) texts.push(...requestTexts(request, history));
  return { receipt: { ...receipt, cuts, omitted, notices, ...besides }, texts };
}

/**
 * A digest and the texts it was made of, found by the spans that came with them, so that words that are sent again are not
 * digested again.
 */
type Digested = { readonly by: Sha256; readonly texts: readonly string[]; readonly digest: string };
const digestedSections = new WeakMap<SectionText["spans"], Digested>();
const digestedSlots = new WeakMap<SectionText["spans"], Digested>();

export function sectionDigest({ spans, text }: Pick<SectionText, "spans" | "text">, sha256: Sha256): string {
  const known = digestedSections.get(spans);
  if (known?.by === sha256 && known.texts[0] === text) return known.digest;
  const digest = sha256(text);
  digestedSections.set(spans, { by: sha256, texts: [text], digest });
  return digest;
}

function slotDigest(placed: readonly SectionText[], sha256: Sha256): string {
  const [first] = placed;
  if (first === undefined) return sha256("");
  if (placed.length === 1) return sectionDigest(first, sha256);
  const known = digestedSlots.get(first.spans);
  const same = known?.texts.length === placed.length && placed.every(({ text }, index) => known.texts[index] === text);
  if (known?.by === sha256 && same) return known.digest;
  const texts = placed.map(({ text }) => text);
  const digest = sha256(texts.join(""));
  digestedSlots.set(first.spans, { by: sha256, texts, digest });
  return digest;
}

/**
 * Returns whose words a section holds. Fixed words and the agent's own are everyone's; words that a turn generated may speak of
 * its user, and so may words a session still carries of a section the charter no longer has.
 */
function whoseWords(charter: Charter, { name, mutability }: SectionText): "agent" | "user" {
  if (mutability === "fixed") return "agent";
  if (mutability === "live") return "user";
  const placed = allSections(charter).find(({ section }) => section.name === name);
  return placed ? sectionScope(placed.section, placed.layer) : "user";
}

/** Rebuilds the exact text of each slot from a receipt and the texts it refers to. */
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

/** The conversation that was sent with a prompt, by length and digest. Its text is stored with the turns. */
export type SentHistory = {
  readonly messages: number;
  readonly digest: string;
  readonly tokens: number | null;
  /** Numbers of messages after which there was a cache breakpoint. */
  readonly breakpoints: readonly number[];
  /** The turns its messages are made of, if the sender said so. */
  readonly source?: HistorySource;
};

/**
 * The recorded turns that the messages of a request are made of, so that they can be made again. Sections that stand among them
 * (updates) are not counted: those are slots of the receipt.
 */
export type HistorySource = {
  /** The first turn of the session that it began with; without it, its own turn is all there was. */
  readonly from?: string;
  /** Number of turns before its own that said something. */
  readonly turns: number;
  /** Ids of turns from there on that had said nothing by then: they came to nothing, or had not ended. */
  readonly without?: readonly string[];
  /** Number of messages of its own turn. */
  readonly own: number;
  /** The summary it began with: its text by digest, the turn it ends with, and in which step of that turn. */
  readonly summary?: { readonly digest: string; readonly until: string; readonly step?: number };
  /**
   * The messages, by digest, that a hook or whoever shortened it put in the place of `drop` messages; without a digest those were
   * left out.
   */
  readonly changed?: { readonly at: number; readonly drop: number; readonly digest?: string };
  /** The role of the system's own words among the messages. */
  readonly voice: "system" | "user";
  /** Shows that the receiver forgets what a hook added with the next message of the user. */
  readonly clears?: true;
  /** The step from which on answers have the reasoning that their provider wants back; without it, all have. */
  readonly since?: { readonly turn: string; readonly step: number };
};

/** A text that a receipt names. `section` is a section's name, or says what else of a request it is. */
type TextName = { readonly section: string; readonly whose: "agent" | "user"; readonly digest: string };

/** Names for the texts of a request that belong to no section; no section's name has a blank in it. */
export const besidesSections = {
  offers: "the tools",
  output: "the format",
  summary: "the summary",
  changed: "the messages",
} as const;

/** Fields of a receipt that name texts. */
type Naming = {
  readonly slots: readonly { readonly sections: readonly (Omit<TextName, "section"> & { readonly name: string })[] }[];
  readonly offers?: string;
  readonly output?: string;
  readonly history?: SentHistory;
};

/** Lists every text that a receipt names: each has to be kept as long as the receipt is. */
export function textsNamed({ slots, offers, output, history }: Naming): TextName[] {
  const { summary, changed } = history?.source ?? {};
  const own = (section: string, digest: string | undefined): TextName[] =>
    digest === undefined ? [] : [{ section, whose: "user", digest }];
  return [
    ...slots.flatMap(({ sections }) => sections.map(({ name, whose, digest }) => ({ section: name, whose, digest }))),
    ...own(besidesSections.offers, offers),
    ...own(besidesSections.output, output),
    ...own(besidesSections.summary, summary?.digest),
    ...own(besidesSections.changed, changed?.digest),
  ];
}

/**
 * Parts of a request outside its sections: the tools as JSON, whether they may be called, the maximum length of the answer, and
 * the texts that its history names by digest.
 */
export type RequestTexts = {
  readonly offers: { readonly digest: string; readonly text: string };
  readonly toolChoice?: "none";
  readonly answerTokens?: number;
  readonly output?: { readonly digest: string; readonly text: string };
  readonly summary?: string;
  readonly changed?: string;
};

/** Lists the texts of a request, all as the user's: tools may be declared for one user, and the conversation is theirs. */
function requestTexts(
  { offers, output, summary, changed }: RequestTexts,
  history: SentHistory | undefined,
): (TextName & { readonly text: string })[] {
  const { source } = history ?? {};
  const own = (
    section: string,
    digest: string | undefined,
    text: string | undefined,
  ): (TextName & { readonly text: string })[] =>
    digest === undefined || text === undefined ? [] : [{ section, whose: "user", digest, text }];
  return [
    ...own(besidesSections.offers, offers.digest, offers.text),
    ...own(besidesSections.output, output?.digest, output?.text),
    ...own(besidesSections.summary, source?.summary?.digest, summary),
    ...own(besidesSections.changed, source?.changed?.digest, changed),
  ];
}
