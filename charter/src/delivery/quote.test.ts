import { expect, test } from "vitest";
import { anthropicLike } from "../../test/delivery/talk.ts";
import { type QuoteOptions, quoteOf } from "./cost.ts";
import type { Price } from "./receiver.ts";

const price: Price = { input: 3, read: 0.3, write: 3.75, output: 15 };
const receiver = { ...anthropicLike, name: "test/sonnet", price };
const change: QuoteOptions = {
  section: "goals",
  receiver,
  verdict: "accepted",
  folds: false,
  before: 100,
  after: 120,
  update: 140,
  behind: 5000,
};

test("an update is told after the history, and carried until it is folded", () => {
  expect(quoteOf(change)).toEqual({
    section: "goals",
    happens: "update",
    tokens: { before: 100, after: 120, rewritten: 140, carried: 120 },
    price: { now: expect.closeTo(0.000525, 12), perTurn: expect.closeTo(0.000036, 12) },
    breakEven: 478,
    receiver: "test/sonnet",
    says: "Sent as a 140-token update with the next request (+120 tokens per turn until the prompt is rebuilt). Cost: $0.00052 on test/sonnet, then $0.000036 per turn. Rebuilding it at once would be cheaper from turn 478 on.",
  });
});

test("a fold rewrites the prefix from the section on", () => {
  expect(quoteOf({ ...change, folds: true })).toEqual({
    section: "goals",
    happens: "fold",
    tokens: { before: 100, after: 120, rewritten: 5120, carried: 0 },
    price: { now: expect.closeTo(0.0192, 12), perTurn: 0 },
    breakEven: null,
    receiver: "test/sonnet",
    says: "The prompt is rebuilt from “goals” on with the next request: 5,120 tokens. Cost: $0.019 on test/sonnet.",
  });
});

test("without a session it is in the first request of the next", () => {
  expect(quoteOf({ ...change, behind: null })).toEqual({
    section: "goals",
    happens: "baseline",
    tokens: { before: 100, after: 120, rewritten: 120, carried: 0 },
    price: { now: expect.closeTo(0.00045, 12), perTurn: 0 },
    breakEven: null,
    receiver: "test/sonnet",
    says: "“goals” is sent with the first request of the next session: 120 tokens. Cost: $0.00045 on test/sonnet.",
  });
});

test("what is held costs nothing until a person approves", () => {
  expect(quoteOf({ ...change, verdict: "held", folds: true })).toEqual({
    section: "goals",
    happens: "held",
    tokens: { before: 100, after: 120, rewritten: 0, carried: 0 },
    price: { now: 0, perTurn: 0 },
    breakEven: null,
    receiver: "test/sonnet",
    says: "Nothing is sent until a person approves the change of “goals”.",
  });
});

test("where no price is known tokens are quoted alone", () => {
  const quote = quoteOf({ ...change, receiver: { ...receiver, price: null } });
  expect([quote.price, quote.breakEven, quote.tokens.carried]).toEqual([null, null, 120]);
  expect(quote.says).toBe(
    "Sent as a 140-token update with the next request (+120 tokens per turn until the prompt is rebuilt). The price of test/sonnet is not known.",
  );
});

// The break-even turn, against both ways billed request by request.

type Piece = { readonly tokens: number };

/** Dollars for a million, turn by turn, with 700 tokens before the section and every turn growing by 30. */
function bills(way: "carry" | "fold", { before, after, update, behind }: QuoteOptions, prices: Price, turns: number) {
  const piece = (tokens: number): Piece => ({ tokens });
  const [front, old, now, rest, told] = [piece(700), piece(before), piece(after), piece(behind ?? 0), piece(update)];
  const said: Piece[] = [];
  const costs: number[] = [];
  // What the request before the change left in the cache, piece by piece.
  let cached: readonly Piece[] = [front, old, rest];
  const sum = (pieces: readonly Piece[]) => pieces.reduce((all, { tokens }) => all + tokens, 0);
  for (let turn = 1; turn <= turns; turn++) {
    said.push(piece(30));
    const request = way === "carry" ? [front, old, rest, told, ...said] : [front, now, rest, ...said];
    let common = 0;
    while (common < cached.length && cached[common] === request[common]) common++;
    costs.push(sum(request.slice(0, common)) * prices.read + sum(request.slice(common)) * prices.write);
    cached = request;
  }
  return costs;
}

function cheaperFrom(quoting: QuoteOptions, prices: Price): number | null {
  const turns = 600;
  const [carry, fold] = [bills("carry", quoting, prices, turns), bills("fold", quoting, prices, turns)];
  let ahead = 0;
  for (let turn = 0; turn < turns; turn++) {
    ahead += (carry[turn] as number) - (fold[turn] as number);
    if (ahead > 1e-6) return turn + 1;
  }
  return null;
}

const prices: [what: string, Price][] = [
  ["reading at a tenth", price],
  ["reading at half, writing as any input", { input: 2.5, read: 1.25, write: 2.5, output: 10 }],
  ["nothing costs anything", { input: 0, read: 0, write: 0, output: 0 }],
];
const sizes: Partial<QuoteOptions>[] = [
  {},
  { behind: 0 },
  { behind: 40 },
  { before: 2000, after: 10, update: 30, behind: 300 },
  { before: 0, after: 500, update: 520, behind: 0 },
  { before: 800, after: 0, update: 15, behind: 2000 },
  { before: 10, after: 900, update: 920, behind: 100 },
];
for (const [what, dear] of prices)
  test(`the break-even turn is the one at which both ways, billed turn by turn, change places: ${what}`, () => {
    for (const size of sizes) {
      const quoting = { ...change, ...size, receiver: { ...receiver, price: dear } };
      expect([size, quoteOf(quoting).breakEven]).toEqual([size, cheaperFrom(quoting, dear)]);
    }
  });
