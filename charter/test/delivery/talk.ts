import type { Baseline } from "../../src/delivery/baseline.ts";
import { type DeliverOptions, type Delivery, deliver } from "../../src/delivery/deliver.ts";
import type { Message, ToolOffer } from "../../src/delivery/model.ts";
import { type EarlierRequest, type Prediction, predict, prefixIn, reusableOf } from "../../src/delivery/prediction.ts";
import type { Receiver } from "../../src/delivery/receiver.ts";
import { assemble, type Charter, type Prompt, type Readings, type Tokenizer } from "../../src/index.ts";
import { type Receipt, receiptOf } from "../../src/prompt/receipt.ts";
import { sha256 } from "../../src/store/texts/packing.ts";

/** Every character a token: what is counted piece by piece adds up. */
export const byCharacter: Tokenizer = { name: "characters", exact: true, count: (text) => text.length };

export const anthropicLike: Receiver = {
  name: "test/breakpoints",
  slots: "layered",
  voice: "user",
  cache: { kind: "breakpoint", min: 0, maxBreakpoints: 4, implicit: false, lookback: 20, ttlSeconds: 300 },
  window: null,
  price: { input: 3, read: 0.3, write: 3.75, output: 15 },
  tokenizer: { name: "characters", exact: true },
};

export const openaiLike: Receiver = {
  ...anthropicLike,
  name: "test/prefix",
  voice: "system",
  cache: { kind: "prefix", min: 0, granularity: 1, ttlSeconds: 300 },
};

export type Said = { readonly prompt: Prompt; readonly delivery: Delivery; readonly prediction: Prediction };

type AskingOptions = "charter" | "receiver" | "besides" | "instead" | "cold" | "anew" | "from" | "step";

export type Asking = Partial<Pick<DeliverOptions, AskingOptions>> & {
  /** The user's message; a later step of a turn has none. */
  readonly input?: string;
  readonly offers?: readonly ToolOffer[];
  readonly removed?: readonly string[];
};

type Start = {
  readonly tokenizer?: Tokenizer;
  readonly baseline?: Baseline | null;
  readonly past?: readonly Message[];
};

/** A session without a store: each request goes on from the one before, as an agent's steps do. */
export function createTalk(charter: Charter, receiver: Receiver, start: Start = {}) {
  const { tokenizer = byCharacter } = start;
  let { baseline = null, past = [] } = start;
  let earlier: EarlierRequest | null = null;
  let turn = 0;
  let step = 0;
  return {
    get baseline() {
      return baseline;
    },
    get past() {
      return past;
    },
    /** One request. What another process would read from a store is what this one goes on with. */
    ask(readings: Readings, { input, offers = [], removed = [], ...asking }: Asking = {}): Said {
      step = input === undefined ? step + 1 : 1;
      if (input !== undefined) turn += 1;
      const declared = asking.charter ?? charter;
      const reader = asking.receiver ?? receiver;
      const prompt = assemble(declared, readings);
      const delivery = deliver({
        charter: declared,
        receiver: reader,
        prompt,
        offers,
        baseline,
        past,
        added: input === undefined ? [] : [{ role: "user", text: input }],
        sent: earlier?.messages ?? 0,
        turn: `t${turn}`,
        step,
        cold: false,
        secret: "a secret",
        sha256,
        tokenizer,
        ...asking,
        removed: (section) => removed.includes(section),
      });
      const folded = delivery.prefixChange.how === "folded";
      const known = earlier && { ...earlier, messages: folded ? 0 : earlier.messages };
      const reusable = known && !asking.cold ? reusableOf(delivery, known, declared, reader) : null;
      const prediction = predict(delivery, reader, { reusable, tokenizer, sha256 });
      past = delivery.history;
      baseline = JSON.parse(JSON.stringify(delivery.baseline)) as Baseline;
      earlier = { prefix: prefixIn(delivery), messages: delivery.history.length, offers: delivery.baseline.offers };
      return { prompt, delivery, prediction };
    },
    /** What the model answered, and what tools came to. */
    answer(...messages: readonly Message[]): void {
      past = [...past, ...messages];
    },
  };
}

/** What a step keeps of it. */
export function receiptFor(charter: Charter, { prompt, prediction }: Said, receiver: Receiver): Receipt {
  const { placements, history, predicted } = prediction;
  const keeping = { sha256, tokenizer: byCharacter, receiver: receiver.name, placements, history, predicted };
  return receiptOf(charter, prompt, keeping).receipt;
}

export function assistantSays(text: string): Message {
  return { role: "assistant", text, calls: [] };
}
