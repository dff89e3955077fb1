import { checkNeeded, isNumber, isText } from "../prompt/argument.ts";
import { counted, grouped } from "../prompt/problem.ts";
import { inDollars, microsOf } from "./cost.ts";
import { isReceiver, type Price, type Receiver } from "./receiver.ts";

/** What an amendment would cost before it is applied. */
export type Quote = {
  readonly section: string;
  /**
   * "update": sent now, after the history; it moves into the prefix when the cache is cold, the history is compacted or a
   * new prefix costs less.
   * "fold": the prefix is rebuilt with the next request. "baseline": there is no session yet, so it is in the first
   * request of the next. "held": nothing, until a person approves.
   */
  readonly happens: "update" | "fold" | "baseline" | "held";
  readonly tokens: {
    /** The section's text, before and after. */
    readonly before: number;
    readonly after: number;
    /** What is sent again with the next request because of it. */
    readonly rewritten: number;
    /** What every later request contains in addition, until the session folds. */
    readonly carried: number;
  };
  /** In dollars on this receiver; null where its price is not known. */
  readonly price: { readonly now: number; readonly perTurn: number } | null;
  /** The turn from which folding at once would have been cheaper; null if there is none. */
  readonly breakEven: number | null;
  readonly receiver: string;
  /** The same in a sentence. */
  readonly says: string;
};

/** What a quote is made from: the change, and what the next request would contain. All sizes are in tokens. */
export type QuoteOptions = {
  readonly section: string;
  readonly receiver: Receiver;
  readonly verdict: "accepted" | "held";
  /** Whether the prefix will be rebuilt at once. */
  readonly folds: boolean;
  /** The section's text before and after, and the message that would tell of it. */
  readonly before: number;
  readonly after: number;
  readonly update: number;
  /** What comes after the section, in the prefix and in the history. Null if there is no session yet. */
  readonly behind: number | null;
};

/** Computes what a change would cost, from sizes you have counted. `quoteInSession` counts them itself. */
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
 * The first turn after which folding at once has cost less in all. In the first turn it writes everything from the
 * section on, where an update writes itself and reads the rest; in each later one it spares the old words and the update.
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
  const dollars = (amount: number) => `$${amount === 0 ? "0" : amount.toPrecision(2)}`;
  const cost = price ? `Cost: ${dollars(price.now)} on ${receiver}` : `The price of ${receiver} is not known`;
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
      const paid = price ? `${cost}, then ${dollars(price.perTurn)} per turn` : cost;
      const even = breakEven === null ? "" : ` Rebuilding it at once would be cheaper from turn ${breakEven} on.`;
      return `Sent as ${update} with the next request (${later}). ${paid}.${even}`;
    }
  }
}
