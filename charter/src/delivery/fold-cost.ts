import type { SectionText } from "../prompt/receipt.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import type { Baseline, Update } from "./baseline.ts";
import { microsOf } from "./cost.ts";
import { messageText, messageTokens } from "./message-tokens.ts";
import type { Message } from "./model.ts";
import type { Receiver } from "./receiver.ts";
import { isWaiting, updatePlaces } from "./update.ts";

type FoldCostInput = {
  readonly receiver: Receiver;
  readonly past: readonly Message[];
  readonly tokenizer?: Tokenizer;
};

/** What a session has said, what it would say now, and the stable words its prefix would have instead. */
type FoldCostOptions = {
  readonly baseline: Baseline;
  readonly fresh: readonly Update[];
  readonly words: readonly SectionText[];
};

/** Less than this is not worth a new prefix: no provider keeps a shorter one. In tokens; a token is some four characters. */
const least = 1000;

/**
 * Why a session with a warm cache folds all the same: its updates have come to weigh more than a new prefix. By price,
 * that is when sending the prefix and the history anew costs no more than going on, with what it has cost so far to carry
 * the updates: whatever comes, all of it together is then at most some twice the least it could have cost. Where no price
 * is known, it is when they are longer than the prefix.
 */
export function outweighed(
  { receiver, past, tokenizer }: FoldCostInput,
  { baseline, fresh, words }: FoldCostOptions,
): string | undefined {
  const { updates } = baseline;
  // What it keeps stays as it was said; a new prefix would be a new conversation.
  if (receiver.keepsHistory || ![...updates, ...fresh].some(isWaiting)) return undefined;
  const count = (text: string) => tokenizer?.count(text) ?? text.length / 4;
  const messageSize = (one: Message) => (tokenizer ? messageTokens(one, tokenizer) : messageText(one).length / 4);
  const size = (all: readonly SectionText[]) =>
    all.reduce((sum, { text, tokens }) => sum + ((tokenizer && tokens) ?? count(text)), 0);

  const sizes = past.map(messageSize);
  const carried = carriedSizes(updates, past, sizes);
  const coming = fresh.filter(isWaiting).reduce((sum, { text }) => sum + count(text), 0);
  if (carried.now + coming < least) return undefined;
  const { price, cache } = receiver;
  if (!price || cache.kind === "none")
    return carried.now + coming > size(baseline.words)
      ? "the messages that tell of changes are longer than the prefix"
      : undefined;
  const first = words.findIndex(({ text }, index) => text !== baseline.words[index]?.text);
  const from = first === -1 ? words.length : first;
  const history = sizes.reduce((sum, one) => sum + one, 0) - carried.now;
  const sent = (tokens: number) => (cache.kind === "breakpoint" ? { written: tokens } : { fresh: tokens });
  const read = size(baseline.words.slice(from)) + history + carried.now;
  const goesOn = microsOf(price, { read, ...sent(coming) });
  const folds = microsOf(price, sent(size(words.slice(from)) + history));
  return folds - goesOn <= microsOf(price, { read: carried.before })
    ? "a new prefix costs less than the messages that tell of changes"
    : undefined;
}

/** The updates that wait, in tokens: in the next request, and in all requests since they were first sent. */
function carriedSizes(updates: readonly Update[], past: readonly Message[], sizes: readonly number[]) {
  const places = updatePlaces(updates, past);
  const waiting = new Set(places.filter((_, index) => isWaiting(updates[index] as Update)));
  let [now, before, requests] = [0, 0, 0];
  for (let place = past.length - 1; place >= 0; place--) {
    if (past[place]?.role === "assistant") requests++;
    if (!waiting.has(place)) continue;
    now += sizes[place] as number;
    before += (sizes[place] as number) * Math.max(0, requests - 1);
  }
  return { now, before };
}
