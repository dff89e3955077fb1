import { counted } from "../prompt/problem.ts";
import type { SectionText, SentSpan } from "../prompt/receipt.ts";
import { nothingForbidden } from "../prompt/structure.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import { type Baseline, lastSaid } from "./baseline.ts";
import { toldWords } from "./change-words.ts";
import { inDollars, microsOf } from "./cost.ts";
import { historyTokens } from "./message-tokens.ts";
import type { Message, ToolOffer } from "./model.ts";
import { offerTokens } from "./prediction.ts";
import { type Quote, quoteOf } from "./quote.ts";
import type { Receiver } from "./receiver.ts";
import { updateOpening } from "./slot.ts";

/** A change that was judged, and the session whose next request would contain it. */
type SessionQuoteOptions = {
  readonly section: string;
  readonly verdict: "accepted" | "held";
  readonly before: string;
  readonly after: string;
  /** The operator made the change, or it returns to an earlier text: what it removes must be gone from the prefix. */
  readonly takesBack: boolean;
  readonly receiver: Receiver;
  readonly tokenizer: Tokenizer;
  /** Null when there is no session yet. */
  readonly baseline: Baseline | null;
  readonly messages: readonly Message[];
  /** Nothing of the session is cached any more: all of it is sent again, whatever changes. */
  readonly cold: boolean;
};

/** Computes what a change would cost in a session, with its next request. */
export function quoteInSession(options: SessionQuoteOptions): Quote {
  const { section, receiver, tokenizer, baseline, cold } = options;
  const [before, after] = [tokenizer.count(options.before), tokenizer.count(options.after)];
  const said = baseline ? lastSaid(baseline, section) : undefined;
  return quoteOf({
    section,
    receiver,
    verdict: options.verdict,
    folds: cold || options.takesBack || receiver.cache.kind === "none" || receiver.slots === "one-string",
    before,
    after,
    update: updateTokens(options, said ?? null, after - before),
    behind: baseline === null ? null : cold ? 0 : tokensBehind(options, baseline),
  });
}

/** What of a session another model would be sent anew. */
export type ReceiverChangeOptions = {
  readonly baseline: Baseline | null;
  readonly messages: readonly Message[];
  /** So many answers had parts that are native to the model that made them. */
  readonly natives: number;
  /** The tools that go with the request, as the model reads them. */
  readonly offers: readonly ToolOffer[];
  readonly tokenizer: Tokenizer;
};

/** What it costs when another model takes a session over: all of it is sent anew, for none of it is cached there. */
type ReceiverChangeQuote = {
  readonly tokens: number;
  /** In dollars on the new receiver; null where its price is not known. */
  readonly price: number | null;
  readonly says: string;
};

/** Computes what it costs when this receiver takes a session over. */
export function receiverChangeQuote(
  { name, price }: Pick<Receiver, "name" | "price">,
  { baseline, messages, natives, offers, tokenizer }: ReceiverChangeOptions,
): ReceiverChangeQuote {
  if (messages.length === 0) return { tokens: 0, price: 0, says: "Nothing was said in this session yet." };
  const words = baseline?.words.map(({ tokens, text }) => tokens ?? tokenizer.count(text)) ?? [];
  const around = offerTokens(offers, tokenizer) + historyTokens(messages, tokenizer);
  const tokens = words.reduce((sum, one) => sum + one, around);
  const cost = price
    ? inDollars(Math.max(microsOf(price, { written: tokens }), microsOf(price, { fresh: tokens })))
    : null;
  const paid =
    cost === null ? `The price of ${name} is not known` : `Cost: $${cost === 0 ? "0" : cost.toPrecision(2)} on ${name}`;
  const left =
    natives === 0
      ? ""
      : ` Left out: the reasoning and the native parts of ${natives === 1 ? "1 answer" : `${natives} answers`} of other models.`;
  const says = `The conversation goes on. The next request sends tools, prompt and history again, about ${counted(tokens, "token")}. ${paid}.${left}`;
  return { tokens, price: cost, says };
}

/** The message that would tell of it, without its mark: what changed in its words, or all of them as they would be. */
function updateTokens(options: SessionQuoteOptions, said: SectionText | null, more: number): number {
  const { section, tokenizer } = options;
  const around = said && options.before !== "" ? said.text.split(options.before) : [];
  if (said && around.length === 2) {
    const text = around.join(options.after);
    const spans = said.spans.slice(0, 1).map((span): SentSpan => ({ ...span, trust: "own", length: text.length }));
    const now = { ...said, text, spans };
    const told = toldWords({ section, before: said, now, mark: undefined, forbidden: nothingForbidden });
    if (told.whole !== undefined) return tokenizer.count(told.text);
  }
  const all = said ? (said.tokens ?? tokenizer.count(said.text)) + more : 0;
  return tokenizer.count(updateOpening(section)) + Math.max(all, tokenizer.count(options.after));
}

/** The prefix after the section, and everything that was said. */
function tokensBehind({ section, tokenizer, messages }: SessionQuoteOptions, { words }: Baseline): number {
  const at = words.findIndex(({ name }) => name === section);
  const later = words.slice(at + 1).map(({ tokens, text }) => tokens ?? tokenizer.count(text));
  return later.reduce((sum, tokens) => sum + tokens, historyTokens(messages, tokenizer));
}
