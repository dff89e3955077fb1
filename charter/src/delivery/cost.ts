import { checkNeeded, isNumber, isText } from "../prompt/argument.ts";
import { remembered } from "../prompt/bounds.ts";
import { counted, grouped } from "../prompt/problem.ts";
import type { CacheTokens } from "../prompt/receipt.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import { attachmentTokensOf } from "./attachments.ts";
import type { Message, Usage } from "./model.ts";
import { isReceiver, type Price, type Receiver } from "./receiver.ts";

/** Computes a price in millionths of a dollar: no other code multiplies by a price. */
export function microsOf(price: Price, tokens: Partial<CacheTokens> & { readonly output?: number }): number {
  const { read = 0, written = 0, fresh = 0, output = 0 } = tokens;
  return read * price.read + written * price.write + fresh * price.input + output * price.output;
}

/** Converts dollars to millionths, as the store keeps money. */
export function inMicros(dollars: number): number {
  return Math.round(dollars * 1e6);
}

/** Formats dollars with two significant digits, and never as a power of ten. */
export function dollarText(amount: number): string {
  if (amount === 0) return "$0";
  const places = Math.min(20, Math.max(0, 1 - Math.floor(Math.log10(Math.abs(amount)))));
  return `$${amount.toFixed(places)}`;
}

export function inDollars(micros: number): number {
  return micros / 1e6;
}

/** Computes the dollars for a provider's count; null where the price is not known. */
export function costOf({ input, read, written, output }: Usage, { price }: Pick<Receiver, "price">): number | null {
  if (!price) return null;
  const cached = { read: read ?? 0, written: written ?? 0 };
  const fresh = Math.max(0, (input ?? 0) - cached.read - cached.written);
  return inDollars(microsOf(price, { ...cached, fresh, output: output ?? 0 }));
}

type BilledStep = {
  readonly usage?: Usage | null | undefined;
  readonly opinions?: readonly { readonly cost: number | null }[] | undefined;
};

/** Computes a step's cost from its receiver's count and its second opinions; null where nothing was counted. */
export function stepCost({ usage, opinions = [] }: BilledStep, receiver: Pick<Receiver, "price">): number | null {
  if (!usage || usage.input === null) return null;
  return sumCosts([costOf(usage, receiver), ...opinions.map(({ cost }) => cost)]);
}

/** Adds up the costs of steps, turns or sessions: null unless there is one and all are known. */
export function sumCosts(costs: readonly (number | null)[]): number | null {
  if (costs.length === 0) return null;
  return costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}

export const noUsage: Usage = { input: null, read: null, written: null, output: null };

export function addUsage(one: Usage, other: Usage): Usage {
  const sum = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);
  return {
    input: sum(one.input, other.input),
    read: sum(one.read, other.read),
    written: sum(one.written, other.written),
    output: sum(one.output, other.output),
  };
}

/** The cost of an amendment, before it is applied. */
export type Quote = {
  readonly section: string;
  /**
   * "update": sent now, after the history; it moves into the prefix when the cache is cold, the history is compacted or a new
   * prefix costs less. "fold": the prefix is rebuilt with the next request. "baseline": there is no session yet, so it is in the
   * first request of the next. "held": nothing, until a person approves.
   */
  readonly happens: "update" | "fold" | "baseline" | "held";
  readonly tokens: {
    /** Tokens of the section's text, before and after. */
    readonly before: number;
    readonly after: number;
    /** Tokens that are sent again with the next request because of the change. */
    readonly rewritten: number;
    /** Tokens that every later request contains in addition, until the session folds. */
    readonly carried: number;
  };
  /** Price in dollars on this receiver; null where it is not known. */
  readonly price: { readonly now: number; readonly perTurn: number } | null;
  /** The turn from which folding at once would have been cheaper; null if there is none. */
  readonly breakEven: number | null;
  readonly receiver: string;
  /** The quote in a sentence. */
  readonly says: string;
};

/** The input of a quote: the change, and what the next request would contain. All sizes are in tokens. */
export type QuoteOptions = {
  readonly section: string;
  readonly receiver: Receiver;
  readonly verdict: "accepted" | "held";
  /** Shows that the prefix will be rebuilt at once. */
  readonly folds: boolean;
  /** Tokens of the section's text before and after, and of the message that would tell of it. */
  readonly before: number;
  readonly after: number;
  readonly update: number;
  /** Tokens after the section, in the prefix and in the history. Null if there is no session yet. */
  readonly behind: number | null;
};

/** Computes the cost of a change from sizes you have counted. `quoteInSession` counts them itself. */
export function quoteOf(options: QuoteOptions): Quote {
  checkNeeded<QuoteOptions>("quoteOf", options, {
    section: [isText, "Give the section's name."],
    receiver: [isReceiver, 'Give receiverOf("provider/model").'],
    before: [isNumber, "Give the tokens of the section's text before."],
    after: [isNumber, "Give the tokens of the section's text after."],
  });
  const { section, receiver, before, after, update, behind } = options;
  const happens = happening(options);
  const rewritten = { held: 0, baseline: after, update, fold: after + (behind ?? 0) }[happens];
  const carried = happens === "update" ? Math.max(0, update + before - after) : 0;
  const { price } = receiver;
  const breakEven = happens === "update" && price ? evenAt(options, price) : null;
  const costs = price
    ? {
        now: inDollars(microsOf(price, { written: rewritten })),
        perTurn: inDollars(microsOf(price, { read: carried })),
      }
    : null;
  const tokens = { before, after, rewritten, carried };
  const quote = { section, happens, tokens, price: costs, breakEven, receiver: receiver.name };
  return { ...quote, says: sentence(quote) };
}

/**
 * Returns the first turn after which folding at once has cost less in all. In the first turn it writes everything from the
 * section on, where an update writes itself and reads the rest; in each later one it spares the old text and the update.
 */
function evenAt({ before, after, update, behind }: QuoteOptions, price: Price): number | null {
  const later = behind ?? 0;
  const more = microsOf(price, { written: after + later - update }) - microsOf(price, { read: before + later });
  const spared = microsOf(price, { read: before + update - after });
  if (more < 0) return 1;
  return spared > 0 ? Math.floor(more / spared) + 2 : null;
}

function happening({ verdict, behind, folds }: QuoteOptions): Quote["happens"] {
  if (verdict === "held") return "held";
  if (behind === null) return "baseline";
  return folds ? "fold" : "update";
}

function sentence({ section, happens, tokens, price, breakEven, receiver }: Omit<Quote, "says">): string {
  const cost = price ? `Cost: ${dollarText(price.now)} on ${receiver}` : `The price of ${receiver} is not known`;
  switch (happens) {
    case "held":
      return `Nothing is sent until a person approves the change of “${section}”.`;
    case "baseline":
      return `“${section}” is sent with the first request of the next session: ${counted(tokens.after, "token")}. ${cost}.`;
    case "fold":
      return `The prompt is rebuilt from “${section}” on with the next request: ${counted(tokens.rewritten, "token")}. ${cost}.`;
    case "update": {
      const update = `a ${grouped(tokens.rewritten)}-token update`;
      const later = `+${counted(tokens.carried, "token")} per turn until the prompt is rebuilt`;
      const paid = price ? `${cost}, then ${dollarText(price.perTurn)} per turn` : cost;
      const even = breakEven === null ? "" : ` Rebuilding it at once would be cheaper from turn ${breakEven} on.`;
      return `Sent as ${update} with the next request (${later}). ${paid}.${even}`;
    }
  }
}

const ends = remembered((tokenizer: Tokenizer) =>
  carry(0, (before, message) => before + messageTokens(message, tokenizer)),
);

/** Sums up the tokens of a session's history: one total after each message, starting with 0. */
export function messageEnds(tokenizer: Tokenizer, messages: readonly Message[]): readonly number[] {
  return ends(tokenizer)(messages);
}

export function historyTokens(messages: readonly Message[], tokenizer: Tokenizer): number {
  return messages.reduce((sum, message) => sum + messageTokens(message, tokenizer), 0);
}

export function messageTokens(message: Message, tokenizer: Tokenizer): number {
  return counts(tokenizer)(message);
}

const counts = remembered((tokenizer: Tokenizer) =>
  remembered((message: Message) => tokenizer.count(messageText(message)) + attachmentTokens(message, tokenizer)),
);

const usualTokens = attachmentTokensOf("");

function attachmentTokens(message: Message, { attachment = usualTokens }: Tokenizer): number {
  if (message.role !== "user" || !message.attachments) return 0;
  return message.attachments.reduce((sum, one) => sum + attachment(one), 0);
}

function messageText(message: Message): string {
  if (message.role === "tool") return message.results.map(({ name, output }) => `${name}\n${output}`).join("\n");
  if (message.role === "assistant")
    return [message.text, ...message.calls.map(({ name, input }) => `${name}\n${input}`)].join("\n");
  return message.text;
}

/**
 * Computes a fact after each message of a history, such as a sum or a digest. The next request of a session has the same history
 * and a few messages more, so facts are reused for messages that are the same objects: comparing them costs next to nothing.
 * `facts[n]` belongs to the first n messages; the array is valid until the next call.
 */
export function carry<Fact>(
  start: Fact,
  step: (before: Fact, message: Message) => Fact,
): (messages: readonly Message[]) => readonly Fact[] {
  // Sessions by their first message: what is cached for one is collected with that message.
  const sessions = new WeakMap<Message, { readonly messages: Message[]; readonly facts: Fact[] }>();
  return (messages) => {
    const [first] = messages;
    if (first === undefined) return [start];
    const known = sessions.get(first) ?? { messages: [], facts: [start] };
    sessions.set(first, known);
    let same = 0;
    while (same < known.messages.length && known.messages[same] === messages[same]) same++;
    known.messages.length = same;
    known.facts.length = same + 1;
    for (const message of messages.slice(same)) {
      known.facts.push(step(known.facts.at(-1) as Fact, message));
      known.messages.push(message);
    }
    return known.facts;
  };
}
