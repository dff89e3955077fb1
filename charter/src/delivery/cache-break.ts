import type { Receipt, SentSection } from "../prompt/receipt.ts";
import { type CacheRules, isCold, type Receiver } from "./receiver.ts";
import { sentLayout, tokensIn } from "./sent-layout.ts";

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
