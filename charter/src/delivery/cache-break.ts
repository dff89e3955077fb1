import { counted, grouped } from "../prompt/problem.ts";
import type { Receipt, SentSection } from "../prompt/receipt.ts";
import { sentLayout, tokensIn } from "./bill.ts";
import type { Usage } from "./model.ts";
import { type CacheRules, isCold, type Receiver } from "./receiver.ts";

/** A request that was made: when, and what was sent. `summarised`: it asked for a summary, which the history is since. */
export type PriorRequest = { readonly at: string; readonly receipt: Receipt; readonly summarised?: boolean };

/** A section of the prefix that reads otherwise than it did; where it came or went, one of the two is null. */
export type ChangedSection = {
  readonly name: string;
  readonly before: SentSection | null;
  readonly after: SentSection | null;
};

/** Why a request could not begin as the one before it did, so that a cache was of less use. */
export type CacheBreak =
  | { readonly what: "opened" | "tools" | "compacted" }
  | { readonly what: "cold"; readonly passedSeconds: number; readonly keptSeconds: number }
  /** `section`: these changed. `folded`: these had been told in the history, and are in the prefix now. */
  | { readonly what: "section" | "folded"; readonly sections: readonly [ChangedSection, ...ChangedSection[]] };

/**
 * What broke the prefix that a session's request before had left in the cache; null when nothing did, or nothing was left
 * there: it was too short, or the receiver keeps nothing. Only what stands before the history is looked at: the history
 * grows, and state is never cached.
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
  const [cause, ...others] = [first, ...more].filter((one) => !wasTold(one, before.receipt));
  return cause ? { what: "section", sections: [cause, ...others] } : { what: "folded", sections: [first, ...more] };
}

function cold(before: PriorRequest, now: PriorRequest, cache: Exclude<CacheRules, { kind: "none" }>): CacheBreak {
  const passedSeconds = Math.round((Date.parse(now.at) - Date.parse(before.at)) / 1000);
  return { what: "cold", passedSeconds, keptSeconds: cache.ttlSeconds };
}

/** A receipt does not name the tools; what they count for is what is left of the request. */
function toolTokens(receipt: Receipt): number | undefined {
  return sentLayout(receipt)?.[0]?.tokens;
}

function prefixOf({ slots }: Receipt): readonly SentSection[] {
  return slots.find(({ slot }) => slot === "system")?.sections ?? [];
}

/**
 * In the order of the later prefix, and then what went. A separator is part of the section before it, and follows from
 * the next: it is to blame only where nothing else is.
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

/** Amendable words by their revision, since the same may stand in a message that tells of them; others by their digest. */
export function sameWords(one: SentSection, other: SentSection): boolean {
  if (one.revision !== null && other.revision !== null) return one.revision === other.revision;
  return one.digest === other.digest;
}

/** The request before had told of it, in the history: its new words were no news. */
function wasTold({ name, after }: ChangedSection, { slots }: Receipt): boolean {
  const said = slots.findLast(({ slot, sections }) => slot === "update" && sections[0]?.name === name)?.sections[0];
  if (!said) return false;
  if (!after) return isRemoved(said);
  return !isRemoved(said) && (after.revision === null || after.revision === said.revision);
}

/** A message that tells of words that no longer hold is delivery's own. */
export function isRemoved({ layer, mutability, spans }: SentSection): boolean {
  return layer === "delivery" && mutability === "live" && spans.every(({ source }) => source === "delivery");
}

/** What is known of how a request, or all requests of a turn, met the provider's cache. */
export type CacheFacts = {
  /** The model's name. */
  readonly receiver: string;
  readonly cache: CacheRules;
  /** As the provider counted; null where there was no answer to count. */
  readonly usage: Usage | null;
  /** Why it could not begin as the request before did. */
  readonly cause: { readonly says: string } | null;
  /** So many requests were counted together; a single one is measured against the least that is cached. */
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

/** How a request met the cache. */
export type CacheWords = { readonly state: CacheState; readonly says: string };

type Counted = { readonly input: number; readonly read: number; readonly written: number };

/**
 * Every sentence about the cache of a request that was made. Each is said in one state alone, which the provider's own
 * count decides; what we expected decides nothing.
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

/** Which of the sentences is true. */
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

/** Says how a request met the cache, and why where that is known and fits what the provider counted. */
export function cacheWords(facts: CacheFacts): CacheWords {
  const state = cacheStateOf(facts);
  const says = cacheSentences[state](facts, countsOf(facts.usage));
  const { cause } = facts;
  return { state, says: cause && explains[state] ? `${says} ${cause.says}` : says };
}

/** Where all was read, nothing could have been, or nobody counted, there is nothing to explain. */
const explains: Readonly<Record<CacheState, boolean>> = {
  uncounted: false,
  unreported: true,
  "no-cache": false,
  "all-read": false,
  "part-read": true,
  written: true,
  "too-short": false,
  "none-read": true,
};

/** Whether what the provider counted leaves room for a cause: what was read was still there, however long ago. */
export function fitsCount(
  what: "cold" | "opened" | (string & {}),
  facts: Pick<CacheFacts, "cache" | "usage">,
): boolean {
  const state = cacheStateOf({ ...facts, requests: 1 });
  if (what === "opened") return true;
  if (what === "cold" && state === "part-read") return false;
  return explains[state];
}

function countsOf(usage: Usage | null): Counted {
  const input = usage?.input ?? 0;
  const read = Math.min(input, usage?.read ?? 0);
  return { input, read, written: Math.min(input - read, usage?.written ?? 0) };
}

function minOf(cache: CacheRules): number {
  return cache.kind === "none" ? 0 : cache.min;
}

/** A share that is neither nothing nor all is never rounded to either. */
function percent(part: number, of: number): string {
  const share = (100 * part) / of;
  const shown = part < of && part > 0 ? Math.min(99.9, Math.max(0.1, share)) : share;
  return `${shown.toFixed(part === of || part === 0 ? 0 : 1)} %`;
}

/** A request's tokens as they were counted here, and as the provider billed them. */
export type CountFacts = {
  /** All of it: tools, system prompt, messages. Null where nothing was counted. */
  readonly counted: number | null;
  /** With what it was counted, and whether that is the model's own tokenizer. */
  readonly tokenizer: { readonly name: string; readonly exact: boolean } | null;
  /** The provider's count; null where it gave none. */
  readonly billed: number | null;
  /** Pictures or files were in it, whose tokens are always estimated. */
  readonly files: boolean;
};

/** “exact”: counted with the model's own tokenizer. “estimated”: with another one. */
export const countKind = ({ exact }: { readonly exact: boolean }): "exact" | "estimated" =>
  exact ? "exact" : "estimated";

/** How tokens were counted: exact, o200k_base; estimated with o200k_base; estimated. */
export function countedWith({ name, exact }: { readonly name: string; readonly exact: boolean }): string {
  if (exact) return `exact, ${name}`;
  return name === "estimate" ? "estimated" : `estimated with ${name}`;
}

/** Both counts, and why they differ where they do. */
export function countWords({ counted: here, tokenizer, billed, files }: CountFacts): string | null {
  if (here === null || tokenizer === null) return billed === null ? null : `Billed: ${counted(billed, "token")}.`;
  const own = `Counted here: ${counted(here, "token")} (${countedWith(tokenizer)}).`;
  if (billed === null) return `${own} The provider has not counted this request.`;
  if (billed === here) return `${own} The provider billed the same number.`;
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
