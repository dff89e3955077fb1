import { checkNeeded, checkOptions, isObject, isSha256 } from "../prompt/argument.ts";
import { remembered } from "../prompt/bounds.ts";
import type { Charter } from "../prompt/charter.ts";
import { counted } from "../prompt/problem.ts";
import type { SentSpan, Sha256 } from "../prompt/prompt.ts";
import type { CacheTokens, Placement, SectionText, SentHistory } from "../prompt/receipt.ts";
import { nothingForbidden } from "../prompt/structure.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import { type Baseline, lastSaid, updateOpening } from "./baseline.ts";
import { toldWords } from "./change.ts";
import {
  carry,
  dollarText,
  historyTokens,
  inDollars,
  messageEnds,
  messageTokens,
  microsOf,
  type Quote,
  quoteOf,
} from "./cost.ts";
import { type Delivery, prefixBreakpoints } from "./deliver.ts";
import type { Message, ToolOffer } from "./model.ts";
import { type CacheRules, isReceiver, type Receiver } from "./receiver.ts";

/** The previous request of a session, as far as the provider may still have it in its cache. */
export type EarlierRequest = {
  readonly prefix: readonly SectionText[];
  /** Number of messages it ended with, which are in the new request too. */
  readonly messages: number;
  /** The digest of the tools it offered. */
  readonly offers: string;
};

/** The common beginning of a request and an earlier one: a number of prefix sections and of messages. */
export type ReusablePrefix = {
  readonly sections: number;
  readonly messages: number;
  /** Numbers of prefix sections after which there was a cache breakpoint. */
  readonly breakpoints: readonly number[];
};

/** Compares a request with the one before: returns what may be read from the provider's cache. Null if the tools changed. */
export function reusableOf(
  delivery: Delivery,
  earlier: EarlierRequest,
  charter: Charter,
  receiver: Receiver,
): ReusablePrefix | null {
  checkDelivery("reusableOf", delivery, receiver);
  if (delivery.baseline.offers !== earlier.offers) return null;
  const prefix = prefixIn(delivery);
  let sections = 0;
  while (sections < prefix.length && prefix[sections]?.text === earlier.prefix[sections]?.text) sections++;
  const whole = sections === prefix.length && sections === earlier.prefix.length;
  const messages = whole ? Math.min(earlier.messages, delivery.history.length) : 0;
  return { sections, messages, breakpoints: prefixBreakpoints(charter, earlier.prefix, receiver) };
}

export function prefixIn({ placements }: Pick<Delivery, "placements">): SectionText[] {
  return (placements.find(({ slot }) => slot === "system")?.sections ?? []).filter((one) => typeof one !== "string");
}

/** The expected bill of a request, in total and by section. */
export type Prediction = {
  readonly predicted: CacheTokens;
  readonly placements: readonly Placement[];
  readonly history: SentHistory;
  /** Tokens of the whole request. */
  readonly total: number;
};

/**
 * Predicts how a request will be billed, by the receiver's cache rules: tokens read from the cache, written to it, or
 * fresh.
 */
export function predict(
  delivery: Delivery,
  receiver: Receiver,
  options: { reusable: ReusablePrefix | null; tokenizer: Tokenizer; sha256: Sha256 },
): Prediction {
  checkDelivery("predict", delivery, receiver);
  checkOptions<typeof options>("predict", options, {
    reusable: [(value) => value === null || isObject(value), "Give what reusableOf gives, null for a first request."],
    tokenizer: [isObject, "Give a tokenizer: await loadTokenizer(name)."],
    sha256: [isSha256, "Give a function from a text to its SHA-256, in hex."],
  });
  const { reusable, tokenizer, sha256 } = options;
  const { placements, history, request, marks } = delivery;
  const tokensOf = ({ text, tokens }: SectionText) => tokens ?? tokenizer.count(text);
  const starts = [offerTokens(request.tools, tokenizer)];
  for (const words of prefixIn(delivery)) starts.push((starts.at(-1) as number) + tokensOf(words));
  const prefixEnd = starts.at(-1) as number;
  const ends = messageEnds(tokenizer, history);
  const endOf = (messages: number) => prefixEnd + (ends[messages] as number);
  const historyEnd = endOf(history.length);
  const format = request.output ? tokenizer.count(JSON.stringify(request.output.schema)) : 0;
  const total = historyEnd + format;

  const offsets: Reach = { starts, endOf, total, history, marks, breakpoints: systemBreakpoints(delivery) };
  const read = reusable ? readUpTo(receiver, offsets, reusable) : 0;
  const write = writtenUpTo(receiver, offsets, read);
  const between = (start: number, end: number): CacheTokens => ({
    read: overlap(start, end, 0, read),
    written: overlap(start, end, read, write),
    fresh: overlap(start, end, write, Number.POSITIVE_INFINITY),
  });
  const billed = placements.map((placement): Placement => {
    const { slot, message } = placement;
    let at = slot === "system" ? (starts[0] as number) : endOf(message ?? history.length);
    const sections = placement.sections.map((one) => {
      if (typeof one === "string") return one;
      const isMessage = slot === "update" && placement.sections.length === 1;
      const tokens = isMessage ? messageTokens(history[message as number] as Message, tokenizer) : tokensOf(one);
      at += tokens;
      return { ...one, tokens, predicted: between(at - tokens, at) };
    });
    return { ...placement, sections };
  });
  const sent = { messages: history.length, digest: historyDigest(history, sha256), tokens: historyEnd - prefixEnd };
  return { predicted: between(0, total), placements: billed, history: { ...sent, breakpoints: marks }, total };
}

/** Token offsets of a request: `starts` of the prefix's sections, `endOf` a number of messages. */
type Reach = Pick<Delivery, "history" | "marks"> & {
  readonly starts: readonly number[];
  readonly endOf: (messages: number) => number;
  readonly breakpoints: readonly number[];
  readonly total: number;
};

function systemBreakpoints({ placements }: Delivery): readonly number[] {
  return placements.find(({ slot }) => slot === "system")?.breakpoints ?? [];
}

function readUpTo({ cache }: Receiver, offsets: Reach, reusable: ReusablePrefix): number {
  if (cache.kind === "none") return 0;
  const { starts, endOf } = offsets;
  const whole = reusable.sections >= starts.length - 1;
  const sections = Math.min(reusable.sections, starts.length - 1);
  if (cache.kind === "prefix") {
    const common = whole ? endOf(reusable.messages) : (starts[sections] as number);
    return common < cache.min ? 0 : common - (common % cache.granularity);
  }
  const found = whole && isFound(cache, offsets, reusable.messages);
  const marked = offsets.breakpoints
    .filter((after) => after <= sections && reusable.breakpoints.includes(after))
    .at(-1);
  const common = found ? endOf(reusable.messages) : marked === undefined ? 0 : (starts[marked] as number);
  return common < cache.min ? 0 : common;
}

type Breakpoints = Extract<CacheRules, { kind: "breakpoint" }>;

/** Returns true if the cache finds the breakpoint after these messages, by looking back from one of this request's. */
function isFound({ lookback, implicit }: Breakpoints, offsets: Reach, messages: number): boolean {
  if (messages === 0) return false;
  const { history, marks, endOf, total } = offsets;
  const byItself = implicit && total === endOf(history.length) ? history.length : undefined;
  const from = marks.find((mark) => mark >= messages) ?? byItself;
  if (from === undefined) return false;
  const blocks = history.slice(messages, from).reduce((sum, message) => sum + blockCount(message), 0);
  return lookback === null || blocks <= lookback;
}

function blockCount(message: Message): number {
  if (message.role === "tool") return message.results.length;
  return message.role === "assistant" ? message.calls.length + (message.text === "" ? 0 : 1) : 1;
}

function writtenUpTo({ cache }: Receiver, { starts, endOf, marks, breakpoints, total }: Reach, read: number): number {
  if (cache.kind !== "breakpoint") return read;
  const marked = marks.length > 0 ? endOf(marks.at(-1) as number) : starts[breakpoints.at(-1) ?? 0];
  const end = cache.implicit ? total : marks.length + breakpoints.length > 0 ? (marked as number) : 0;
  return end < cache.min ? read : Math.max(read, end);
}

function overlap(start: number, end: number, from: number, to: number): number {
  return Math.max(0, Math.min(end, to) - Math.max(start, from));
}

const counts = remembered((tokenizer: Tokenizer) =>
  remembered((offers: readonly ToolOffer[]) => (offers.length === 0 ? 0 : tokenizer.count(JSON.stringify(offers)))),
);

/** Counts the tokens of a request's tools, which come before everything else. */
export function offerTokens(offers: readonly ToolOffer[], tokenizer: Tokenizer): number {
  return counts(tokenizer)(offers);
}

const digests = remembered((sha256: Sha256) =>
  carry("", (before, message) => sha256(JSON.stringify([before, message]))),
);

/** Digests all messages, each bound to those before it: a message that was seen before is not digested again. */
export function historyDigest(history: readonly Message[], sha256: Sha256): string {
  return digests(sha256)(history).at(-1) as string;
}

function checkDelivery(name: string, delivery: Delivery, receiver: Receiver): void {
  checkNeeded<{ delivery: Delivery; receiver: Receiver }>(
    name,
    { delivery, receiver },
    {
      delivery: [(value) => isObject(Object(value).baseline), "Give what deliver gives, whole, and not its request."],
      receiver: [isReceiver, "Give the receiver that it was delivered to."],
    },
  );
}

/** A change that was judged, and the session whose next request would contain it. */
type SessionQuoteOptions = {
  readonly section: string;
  readonly verdict: "accepted" | "held";
  readonly before: string;
  readonly after: string;
  /**
   * Shows that the operator made the change, or that it returns to an earlier text: what it removes must be gone from the prefix.
   */
  readonly takesBack: boolean;
  readonly receiver: Receiver;
  readonly tokenizer: Tokenizer;
  /** The session's baseline; null when there is no session yet. */
  readonly baseline: Baseline | null;
  readonly messages: readonly Message[];
  /** Shows that nothing of the session is cached any more: all of it is sent again, whatever changes. */
  readonly cold: boolean;
};

/** Computes what a change would cost in a session, with its next request. */
export function quoteInSession(options: SessionQuoteOptions): Quote {
  const { section, receiver, tokenizer, baseline, cold } = options;
  const [before, after] = [tokenizer.count(options.before), tokenizer.count(options.after)];
  const previous = baseline ? lastSaid(baseline, section) : undefined;
  return quoteOf({
    section,
    receiver,
    verdict: options.verdict,
    folds: cold || options.takesBack || receiver.cache.kind === "none" || receiver.slots === "one-string",
    before,
    after,
    update: updateTokens(options, previous ?? null, after - before),
    behind: baseline === null ? null : cold ? 0 : tokensBehind(options, baseline),
  });
}

/** The session that another model would take over, and the tools it would be offered. */
export type ReceiverChangeOptions = {
  readonly baseline: Baseline | null;
  readonly messages: readonly Message[];
  /** Number of answers with parts that are native to the model that made them. */
  readonly natives: number;
  /** The tools that go with the request, as the model reads them. */
  readonly offers: readonly ToolOffer[];
  readonly tokenizer: Tokenizer;
};

/** The cost of moving a session to another model: all of it is sent anew, because nothing is cached there. */
type ReceiverChangeQuote = {
  readonly tokens: number;
  /** Price in dollars on the new receiver; null where it is not known. */
  readonly price: number | null;
  readonly says: string;
};

/** Computes the cost of moving a session to this receiver. */
export function receiverChangeQuote(
  { name, price }: Pick<Receiver, "name" | "price">,
  { baseline, messages, natives, offers, tokenizer }: ReceiverChangeOptions,
): ReceiverChangeQuote {
  if (messages.length === 0) return { tokens: 0, price: 0, says: "Nothing was said in this session yet." };
  const words = baseline?.words.map(({ tokens, text }) => tokens ?? tokenizer.count(text)) ?? [];
  const toolsAndHistory = offerTokens(offers, tokenizer) + historyTokens(messages, tokenizer);
  const tokens = words.reduce((sum, one) => sum + one, toolsAndHistory);
  const cost = price
    ? inDollars(Math.max(microsOf(price, { written: tokens }), microsOf(price, { fresh: tokens })))
    : null;
  const paid = cost === null ? `The price of ${name} is not known` : `Cost: ${dollarText(cost)} on ${name}`;
  const left =
    natives === 0
      ? ""
      : ` Left out: the reasoning and the native parts of ${natives === 1 ? "1 answer" : `${natives} answers`} of other models.`;
  const says = `The conversation goes on. The next request sends tools, prompt and history again, about ${counted(tokens, "token")}. ${paid}.${left}`;
  return { tokens, price: cost, says };
}

/** Counts the message that would tell of the change, without its mark: the changed text, or all of it. */
function updateTokens(options: SessionQuoteOptions, previous: SectionText | null, more: number): number {
  const { section, tokenizer } = options;
  const halves = previous && options.before !== "" ? previous.text.split(options.before) : [];
  if (previous && halves.length === 2) {
    const text = halves.join(options.after);
    const spans = previous.spans.slice(0, 1).map((span): SentSpan => ({ ...span, trust: "own", length: text.length }));
    const now = { ...previous, text, spans };
    const update = toldWords({
      section,
      label: section,
      before: previous,
      now,
      mark: undefined,
      forbidden: nothingForbidden,
    });
    if (update.whole !== undefined) return tokenizer.count(update.text);
  }
  const all = previous ? (previous.tokens ?? tokenizer.count(previous.text)) + more : 0;
  return tokenizer.count(updateOpening(section)) + Math.max(all, tokenizer.count(options.after));
}

/** Counts the prefix after the section, and the whole history. */
function tokensBehind({ section, tokenizer, messages }: SessionQuoteOptions, { words }: Baseline): number {
  const at = words.findIndex(({ name }) => name === section);
  const later = words.slice(at + 1).map(({ tokens, text }) => tokens ?? tokenizer.count(text));
  return later.reduce((sum, tokens) => sum + tokens, historyTokens(messages, tokenizer));
}
