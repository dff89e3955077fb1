import { counted, grouped } from "../prompt/problem.ts";
import type { Receipt, SentSection } from "../prompt/receipt.ts";
import { sentLayout, tokensIn } from "./bill.ts";
import type { Usage } from "./model.ts";
import { type CacheRules, isCold, type Receiver } from "./receiver.ts";

/** An earlier request: when, and what was sent. `summarised`: it asked for a summary, and the history is that summary since. */
export type PriorRequest = { readonly at: string; readonly receipt: Receipt; readonly summarised?: boolean };

/** A section of the prefix whose text changed; `before` or `after` is null where the section came or went. */
export type ChangedSection = {
  readonly name: string;
  readonly before: SentSection | null;
  readonly after: SentSection | null;
};

/** The reason why a request could not begin like the one before it, so that the cache was of less use. */
export type CacheBreak =
  | { readonly what: "opened" | "tools" | "compacted" }
  | { readonly what: "cold"; readonly passedSeconds: number; readonly keptSeconds: number }
  /** `section`: these changed. `folded`: these had been told in the history, and are in the prefix now. */
  | { readonly what: "section" | "folded"; readonly sections: readonly [ChangedSection, ...ChangedSection[]] };

/**
 * Returns what broke the prefix that the session's previous request left in the cache; null when nothing did, or nothing was left
 * there: it was too short, or the receiver keeps nothing. Only text before the history is compared: the history grows.
 */
export function cacheBreak(before: PriorRequest | null, now: PriorRequest, receiver: Receiver): CacheBreak | null {
  const { cache } = receiver;
  if (cache.kind === "none") return null;
  if (!before) return { what: "opened" };
  if (tokensIn(sentLayout(before.receipt) ?? []) < cache.min) return null;
  if (isCold(receiver, Date.parse(before.at), new Date(now.at))) return cold(before, now, cache);
  if (toolTokens(before.receipt) !== toolTokens(now.receipt)) return { what: "tools" };
  if (before.summarised) return { what: "compacted" };
  const [first, ...more] = changedSections(prefixOf(before.receipt), prefixOf(now.receipt));
  if (!first) return null;
  const [cause, ...others] = [first, ...more].filter((one) => !wasSentAsUpdate(one, before.receipt));
  return cause ? { what: "section", sections: [cause, ...others] } : { what: "folded", sections: [first, ...more] };
}

function cold(before: PriorRequest, now: PriorRequest, cache: Exclude<CacheRules, { kind: "none" }>): CacheBreak {
  const passedSeconds = Math.round((Date.parse(now.at) - Date.parse(before.at)) / 1000);
  return { what: "cold", passedSeconds, keptSeconds: cache.ttlSeconds };
}

/** Counts the tokens of the tools, which a receipt does not name: the rest of the request is subtracted. */
function toolTokens(receipt: Receipt): number | undefined {
  return sentLayout(receipt)?.[0]?.tokens;
}

function prefixOf({ slots }: Receipt): readonly SentSection[] {
  return slots.find(({ slot }) => slot === "system")?.sections ?? [];
}

/**
 * Lists changed sections in the order of the later prefix, and then the removed ones. A separator is part of the section before
 * it, and follows from the next: it is to blame only where nothing else is.
 */
function changedSections(was: readonly SentSection[], is: readonly SentSection[]): ChangedSection[] {
  const [earlier, later] = [was, is].map((all) => new Map(all.map((one) => [one.name, one])));
  const pairs = [
    ...is.map((after) => ({ name: after.name, before: earlier?.get(after.name) ?? null, after })),
    ...was.filter(({ name }) => !later?.has(name)).map((before) => ({ name: before.name, before, after: null })),
  ];
  const others = pairs.filter(({ before, after }) => !before || !after || !sameWords(before, after));
  return others.length > 0 ? others : pairs.filter(({ before, after }) => before?.digest !== after?.digest);
}

/**
 * Compares the text of two sections: amendable text by its revision, since the same may be in a message that tells of it, other
 * text by its digest.
 */
export function sameWords(one: SentSection, other: SentSection): boolean {
  if (one.revision !== null && other.revision !== null) return one.revision === other.revision;
  return one.digest === other.digest;
}

/** Returns true if the previous request had told the change in the history already. */
function wasSentAsUpdate({ name, after }: ChangedSection, { slots }: Receipt): boolean {
  const update = slots.findLast(({ slot, sections }) => slot === "update" && sections[0]?.name === name)?.sections[0];
  if (!update) return false;
  if (!after) return isRemoved(update);
  return !isRemoved(update) && (after.revision === null || after.revision === update.revision);
}

/** Returns true for a message that says a section no longer applies: all of its text is delivery's own. */
export function isRemoved({ layer, mutability, spans }: SentSection): boolean {
  return layer === "delivery" && mutability === "live" && spans.every(({ source }) => source === "delivery");
}

/** Facts about how a request, or all requests of a turn, met the provider's cache. */
export type CacheFacts = {
  /** The model's name. */
  readonly receiver: string;
  readonly cache: CacheRules;
  /** The provider's count; null where there was no answer to count. */
  readonly usage: Usage | null;
  /** The reason why it could not begin like the request before. */
  readonly cause: { readonly says: string } | null;
  /** Number of requests counted together; only a single one is measured against the least that is cached. */
  readonly requests: number;
};

export type CacheState =
  | "uncounted"
  | "unreported"
  | "no-cache"
  | "all-read"
  | "part-read"
  | "written"
  | "too-short"
  | "none-read";

/** The state of a request in the cache, and a sentence about it. */
export type CacheWords = { readonly state: CacheState; readonly says: string };

type Counted = { readonly input: number; readonly read: number; readonly written: number };

/**
 * Sentences about the cache, one for each state. The provider's own count decides on the state; our expectation decides nothing.
 */
export const cacheSentences: Readonly<Record<CacheState, (facts: CacheFacts, counted: Counted) => string>> = {
  uncounted: () => "The provider counted no tokens, so it is not known what was read from the cache.",
  unreported: () => "The provider did not say how much it read from its cache.",
  "no-cache": ({ receiver }) => `No prompt cache is known of ${receiver}.`,
  "all-read": (_, { input }) => `The whole input was read from the cache: ${counted(input, "token")}.`,
  "part-read": (_, { input, read }) =>
    `${percent(read, input)} of the input was read from the cache: ${grouped(read)} of ${counted(input, "token")}.`,
  written: (_, { input, written }) =>
    `Nothing was read from the cache. Written to it: ${grouped(written)} of ${counted(input, "token")}.`,
  "too-short": ({ receiver, cache }, { input }) =>
    `Too short to be cached: tools, system prompt and messages together had ${counted(input, "token")}, and ${receiver} caches from ${grouped(minOf(cache))} on.`,
  "none-read": () => "Nothing was read from the cache.",
};

/** Returns the state that the provider's count shows. */
export function cacheStateOf({ cache, usage, requests }: Pick<CacheFacts, "cache" | "usage" | "requests">): CacheState {
  if (usage === null || usage.input === null || usage.input === 0) return "uncounted";
  const { input, read, written } = countsOf(usage);
  if (read >= input) return "all-read";
  if (read > 0) return "part-read";
  if (written > 0) return "written";
  if (cache.kind === "none") return "no-cache";
  if (usage.read === null && usage.written === null) return "unreported";
  return requests === 1 && input < cache.min ? "too-short" : "none-read";
}

/** Says how a request met the cache, and why, where that is known and fits what the provider counted. */
export function cacheWords(facts: CacheFacts): CacheWords {
  const state = cacheStateOf(facts);
  const says = cacheSentences[state](facts, countsOf(facts.usage));
  const { cause } = facts;
  return { state, says: cause && explains.has(state) ? `${says} ${cause.says}` : says };
}

/**
 * States in which a cause is worth saying. Where all was read, nothing could have been, or nobody counted, there is nothing to
 * explain.
 */
const explains: ReadonlySet<CacheState> = new Set(["unreported", "part-read", "written", "none-read"]);

/** Returns true if the provider's count leaves room for a cause: what was read was still there, however long ago. */
export function fitsCount(
  what: "cold" | "opened" | (string & {}),
  facts: Pick<CacheFacts, "cache" | "usage">,
): boolean {
  const state = cacheStateOf({ ...facts, requests: 1 });
  if (what === "opened") return true;
  if (what === "cold" && state === "part-read") return false;
  return explains.has(state);
}

function countsOf(usage: Usage | null): Counted {
  const input = usage?.input ?? 0;
  const read = Math.min(input, usage?.read ?? 0);
  return { input, read, written: Math.min(input - read, usage?.written ?? 0) };
}

function minOf(cache: CacheRules): number {
  return cache.kind === "none" ? 0 : cache.min;
}

/** Writes a share in percent; one that is neither 0 nor 100 is never rounded to either. */
function percent(part: number, of: number): string {
  const share = (100 * part) / of;
  const shown = part < of && part > 0 ? Math.min(99.9, Math.max(0.1, share)) : share;
  return `${shown.toFixed(part === of || part === 0 ? 0 : 1)} %`;
}

/** A request's tokens as they were counted here, and as the provider billed them. */
export type CountFacts = {
  /** Tokens of the whole request: tools, system prompt, messages. Null where nothing was counted. */
  readonly counted: number | null;
  /** The tokenizer that counted, and whether it is the model's own. */
  readonly tokenizer: { readonly name: string; readonly exact: boolean } | null;
  /** The provider's count; null where it gave none. */
  readonly billed: number | null;
  /** Shows that pictures or files were in the request, whose tokens are always estimated. */
  readonly files: boolean;
};

/** Names the way of counting: “exact, o200k_base”, “estimated with o200k_base” or “estimated”. */
export function countedWith({ name, exact }: { readonly name: string; readonly exact: boolean }): string {
  if (exact) return `exact, ${name}`;
  return name === "estimate" ? "estimated" : `estimated with ${name}`;
}

/** Compares both counts, and says why they differ where they do. */
export function countWords({ counted: ourCount, tokenizer, billed, files }: CountFacts): string | null {
  if (ourCount === null || tokenizer === null) return billed === null ? null : `Billed: ${counted(billed, "token")}.`;
  const own = `Counted here: ${counted(ourCount, "token")} (${countedWith(tokenizer)}).`;
  if (billed === null) return `${own} The provider has not counted this request.`;
  if (billed === ourCount) return `${own} The provider billed the same number.`;
  const reasons = [
    ...(tokenizer.exact ? [] : [notOwn(tokenizer.name)]),
    ...(files ? ["the tokens of pictures and files are estimated"] : []),
    "the provider writes tools and the wrapping of messages in a way of its own, which only it can count",
  ];
  return `${own} Billed: ${grouped(billed)}. They differ because ${reasons.join("; and because ")}.`;
}

function notOwn(tokenizer: string): string {
  return tokenizer === "estimate" ? "no tokenizer was used here" : `${tokenizer} is not this model’s own tokenizer`;
}
