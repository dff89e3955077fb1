import type { CacheTokens, Receipt, SentSection } from "../prompt/receipt.ts";
import { stabilityOf } from "./baseline.ts";
import { cacheTokensOf, noCacheTokens, type SentStretch, sentLayout, sumTokens, tokensIn } from "./bill.ts";
import { isRemoved, type PriorRequest, sameWords } from "./cache-break.ts";
import type { Usage } from "./model.ts";
import { isCold, type Receiver } from "./receiver.ts";

type OwnOrderOptions = {
  readonly receiver: Receiver;
  /** Where a section stands in the charter; sections it does not have stand last. */
  readonly placeOf: (section: string) => number | undefined;
  /** What the provider counted for the request as it was sent: in the same measure this is told. */
  readonly usage: Usage;
};

/**
 * What a request would have been billed as with the whole system prompt as one string in the charter's own order, state
 * where it stands there and every change made in place: by its receiver's rules, with marks after the tools, the system
 * prompt and the history. Null where nothing was counted.
 *
 * It is told from receipts, without a word of what was sent, so a section that changed counts as new from its first word.
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
 * Like is compared with like: a provider that had lost what it was left with had lost it in every order, and one that
 * does not tell what it read tells it in none.
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
  /** So many sections it begins with just as it was sent. */
  readonly asSent: number;
  /** All of it, as it was sent. */
  readonly sent: number;
};

/** `cut`: what it gave up to fit, in which edition: words of one revision that were cut otherwise are others. */
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

/** Each section's words of now, wherever they were said; nothing that delivery says for itself. */
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

/** The tokens of a section's own words, all of them, also where only what changed in them was told. */
function wholeTokens(section: SentSection, tokens: number): number {
  return section.whole ?? tokens - around(section, tokens);
}

/** What the mark, and the words that tell of a change, are of a section's tokens: by their length. */
function around({ spans }: SentSection, tokens: number): number {
  const [first] = spans;
  const length = spans.reduce((sum, span) => sum + span.length, 0);
  return first?.source === "delivery" && length > 0 ? Math.round((tokens * first.length) / length) : 0;
}

/** What a request begins with as the one before it did: so many sections (`whole`: all of both), so much of the history. */
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

/** `whole` is what the request was billed as it was sent; `scale` makes our tokens the provider's. */
type Measure = { readonly receiver: Receiver; readonly whole: CacheTokens; readonly scale: number };

function billOf(own: OwnRequest, common: Common, { receiver: { cache }, whole, scale }: Measure): CacheTokens {
  const counted = (tokens: number) => Math.round(tokens * scale);
  const ending = (count: number) => own.sections.slice(0, count).reduce((sum, { tokens }) => sum + tokens, own.tools);
  const system = ending(own.sections.length);
  const total = counted(system + own.history);
  if (cache.kind === "none") return { ...noCacheTokens, fresh: total };
  const kept = (tokens: number) => (tokens < cache.min ? 0 : tokens);
  if (cache.kind === "prefix") {
    // As far as both orders are the same, so is what other sessions left.
    const left = Math.min(whole.read, counted(ending(own.asSent)));
    const goesOn = common.whole ? system + common.history : common.tools ? ending(common.sections) : 0;
    const start = kept(Math.max(left, counted(goesOn)));
    const read = start - (start % cache.granularity);
    return { read, written: 0, fresh: total - read };
  }
  const { lookback } = cache;
  const found = common.messages > 0 && (lookback === null || own.messages - common.messages <= lookback);
  const tools = common.tools || whole.read >= counted(own.tools) ? own.tools : 0;
  const read = kept(counted(found ? system + common.history : common.whole ? system : tools));
  const written = kept(total) === 0 ? 0 : total - read;
  return { read, written, fresh: total - read - written };
}

/** A receiver without slots has the charter's own order as it is; nowhere else state stands among the words that are cached. */
function inOneString({ slots }: Receipt, receiver: Receiver): boolean {
  const system = slots.find(({ slot }) => slot === "system");
  return receiver.slots === "one-string" || (system?.sections.some((one) => stabilityOf(one) === "state") ?? false);
}
