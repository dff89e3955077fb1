import type { CacheTokens, Receipt, SentSection } from "../prompt/receipt.ts";
import { stabilityOf } from "./baseline.ts";
import { cacheTokensOf, noCacheTokens, type SentStretch, sentLayout, sumTokens, tokensIn } from "./bill.ts";
import { isRemoved, type PriorRequest, sameWords } from "./cache-break.ts";
import type { Usage } from "./model.ts";
import { isCold, type Receiver } from "./receiver.ts";

type OwnOrderOptions = {
  readonly receiver: Receiver;
  /** Returns a section's place in the charter; sections without one come last. */
  readonly placeOf: (section: string) => number | undefined;
  /** The provider's count of the request as it was sent: the result is in the same measure. */
  readonly usage: Usage;
};

/**
 * Estimates the bill of a request whose system prompt were one string in the charter's own order, with state in its place and
 * every change made in place: by its receiver's rules, with breakpoints after the tools, the system prompt and the history. Null
 * where nothing was counted.
 *
 * Receipts contain no text, so a changed section counts as new from its first word.
 */
export function ownOrder(
  before: PriorRequest | null,
  now: PriorRequest,
  ordering: OwnOrderOptions,
): CacheTokens | null {
  const { receiver, usage } = ordering;
  const whole = cacheTokensOf(usage);
  const own = ownRequest(now.receipt, ordering);
  if (!whole || !own || own.sent === 0) return null;
  if (inOneString(now.receipt, receiver)) return whole;
  const warm = before && !isLost(now.receipt, usage) && !isCold(receiver, Date.parse(before.at), new Date(now.at));
  const earlier = warm ? ownRequest(before.receipt, ordering) : null;
  const common = earlier ? commonOf(earlier, own, before?.summarised ?? false) : nothingCommon;
  const bill = billOf(own, common, { receiver, whole, scale: sumTokens(whole) / own.sent });
  return usage.written === null ? { ...bill, written: 0, fresh: bill.fresh + bill.written } : bill;
}

/**
 * Returns true if the provider's cache tells nothing: a provider that had lost the prefix had lost it in every order, and one
 * that does not report what it read reports it in none.
 */
function isLost({ predicted }: Receipt, { read }: Usage): boolean {
  return read === null || (read === 0 && (predicted?.read ?? 0) > 0);
}

/** A request in the charter's own order, in tokens. */
type OwnRequest = {
  readonly tools: number;
  readonly sections: readonly OwnSection[];
  readonly history: number;
  readonly messages: number;
  /** Number of sections it begins with just as it was sent. */
  readonly asSent: number;
  /** Tokens of the whole request, as it was sent. */
  readonly sent: number;
};

/**
 * A section in the charter's order. `cut`: its edition and what was trimmed; texts of one revision that were trimmed differently
 * are different.
 */
type OwnSection = { readonly section: SentSection; readonly tokens: number; readonly cut: string };

function ownRequest(receipt: Receipt, { placeOf }: Pick<OwnOrderOptions, "placeOf">): OwnRequest | null {
  const layout = sentLayout(receipt);
  if (!layout) return null;
  const of = (fits: (one: SentStretch) => boolean) => tokensIn(layout.filter(fits));
  const sections = standing(receipt, layout, placeOf);
  const prefix = receipt.slots.find(({ slot }) => slot === "system")?.sections ?? [];
  const differs = sections.findIndex(({ section }, index) => section !== prefix[index]);
  return {
    tools: of(({ what }) => what === "tools"),
    sections,
    asSent: differs === -1 ? sections.length : differs,
    history: of((one) => one.what === "history" || (one.what === "section" && one.slot === "compaction")),
    messages: (receipt.history?.messages ?? 0) - receipt.slots.filter(({ slot }) => slot === "update").length,
    sent: tokensIn(layout),
  };
}

/** Lists each section's current text, wherever it was sent, without delivery's own words. */
function standing(
  { edition, cuts }: Receipt,
  layout: readonly SentStretch[],
  placeOf: OwnOrderOptions["placeOf"],
): OwnSection[] {
  const given = Map.groupBy(cuts, ({ section }) => section);
  const cut = (name: string) => JSON.stringify([edition, given.get(name) ?? []]);
  const words = new Map<string, OwnSection>();
  for (const stretch of layout) {
    if (stretch.what !== "section" || stretch.slot === "compaction") continue;
    const { section, tokens } = stretch;
    if (stretch.slot === "update" && isRemoved(section)) words.delete(section.name);
    else if (section.layer !== "delivery")
      words.set(section.name, { section, tokens: wholeTokens(section, tokens), cut: cut(section.name) });
  }
  const place = ({ section }: OwnSection) => placeOf(section.name) ?? Number.MAX_SAFE_INTEGER;
  return [...words.values()].sort((one, other) => place(one) - place(other));
}

/** Returns the tokens of a section's whole text, also where only its changes were told. */
function wholeTokens(section: SentSection, tokens: number): number {
  return section.whole ?? tokens - deliveryTokens(section, tokens);
}

/** Estimates by length how many of a section's tokens are the mark, the tag and the words that tell of a change. */
function deliveryTokens({ spans }: SentSection, tokens: number): number {
  const lengthOf = (some: typeof spans) => some.reduce((sum, { length }) => sum + length, 0);
  const own = lengthOf(spans.filter(({ source }) => source === "delivery"));
  return own === 0 ? 0 : Math.round((tokens * own) / lengthOf(spans));
}

/** The common beginning of two requests: number of sections (`whole`: all of both), and tokens of the history. */
type Common = {
  readonly tools: boolean;
  readonly sections: number;
  readonly whole: boolean;
  readonly history: number;
  readonly messages: number;
};

const nothingCommon: Common = { tools: false, sections: 0, whole: false, history: 0, messages: 0 };

function commonOf(before: OwnRequest, now: OwnRequest, summarised: boolean): Common {
  if (before.tools !== now.tools) return nothingCommon;
  const same = ({ section, cut }: OwnSection, index: number) => {
    const was = before.sections[index];
    return was?.section.name === section.name && was.cut === cut && sameWords(was.section, section);
  };
  const differs = now.sections.findIndex((one, index) => !same(one, index));
  const sections = differs === -1 ? now.sections.length : differs;
  const whole = differs === -1 && sections === before.sections.length;
  const goesOn = whole && !summarised && before.messages <= now.messages;
  const history = goesOn ? Math.min(before.history, now.history) : 0;
  return { tools: true, sections, whole, history, messages: goesOn ? before.messages : 0 };
}

/**
 * The measure of an estimate. `whole` is the bill of the request as it was sent; `scale` turns our tokens into the provider's.
 */
type Measure = { readonly receiver: Receiver; readonly whole: CacheTokens; readonly scale: number };

function billOf(own: OwnRequest, common: Common, { receiver: { cache }, whole, scale }: Measure): CacheTokens {
  const counted = (tokens: number) => Math.round(tokens * scale);
  const ending = (count: number) => own.sections.slice(0, count).reduce((sum, { tokens }) => sum + tokens, own.tools);
  const system = ending(own.sections.length);
  const total = counted(system + own.history);
  if (cache.kind === "none") return { ...noCacheTokens, fresh: total };
  const kept = (tokens: number) => (tokens < cache.min ? 0 : tokens);
  if (cache.kind === "prefix") {
    // Sections that both orders begin with are also in the cache if other sessions left them there.
    const left = Math.min(whole.read, counted(ending(own.asSent)));
    const goesOn = common.whole ? system + common.history : common.tools ? ending(common.sections) : 0;
    const start = kept(Math.max(left, counted(goesOn)));
    const read = start - (start % cache.granularity);
    return { read, written: 0, fresh: total - read };
  }
  const { lookback } = cache;
  const isFound = common.messages > 0 && (lookback === null || own.messages - common.messages <= lookback);
  const tools = common.tools || whole.read >= counted(own.tools) ? own.tools : 0;
  const read = kept(counted(isFound ? system + common.history : common.whole ? system : tools));
  const written = kept(total) === 0 ? 0 : total - read;
  return { read, written, fresh: total - read - written };
}

/**
 * Returns true if the request already is in the charter's own order: the receiver has no slots, or state is among the cached
 * text.
 */
function inOneString({ slots }: Receipt, receiver: Receiver): boolean {
  const system = slots.find(({ slot }) => slot === "system");
  return receiver.slots === "one-string" || (system?.sections.some((one) => stabilityOf(one) === "state") ?? false);
}
