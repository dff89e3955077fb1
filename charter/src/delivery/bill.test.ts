import fc from "fast-check";
import { expect, test } from "vitest";
import type { CacheTokens, Receipt, SentSection, SentSlot } from "../prompt/receipt.ts";
import { addTokens, apportion, type Bill, cacheTokensOf, noCacheTokens, splitBill, sumTokens } from "./bill.ts";
import type { Usage } from "./model.ts";

function section(name: string, tokens: number): SentSection {
  const about = { layer: "l", mutability: "live", stability: "stable", trust: "own", source: "test" } as const;
  return { name, ...about, revision: null, digest: name, whose: "agent", tokens, spans: [] };
}

function slot(name: string, sections: readonly SentSection[], message?: number): SentSlot {
  return { slot: name, digest: name, sections, breakpoints: [], ...(message === undefined ? {} : { message }) };
}

/** `total` is what all of it was predicted to be: what is in nothing else are the tools. */
function receipt(slots: readonly SentSlot[], history: { messages: number; tokens: number }, total: number): Receipt {
  const about = { charter: "c", edition: "full", lock: "", receiver: "test/one" } as const;
  const nothing = { tokens: null, cuts: [], omitted: [], notices: [] };
  return {
    ...about,
    ...nothing,
    slots,
    history: { ...history, digest: "", breakpoints: [] },
    predicted: { read: 0, written: 0, fresh: total },
  };
}

/** 40 of tools; 100 and 60 in the prefix; five messages of 20, an update the third of them; 20 of state: 320 in all. */
const sent = receipt(
  [
    slot("system", [section("law", 100), section("goals", 60)]),
    slot("update", [section("goals", 20)], 2),
    slot("state", [section("clock", 20)], 5),
  ],
  { messages: 5, tokens: 100 },
  320,
);

const usage = (input: number | null, read: number | null = null, written: number | null = null): Usage => ({
  input,
  read,
  written,
  output: 7,
});

/** In short: whose, read, written, fresh. */
function told(shares: Bill | null) {
  if (!shares) return null;
  const row = (name: string, { read, written, fresh }: CacheTokens) => [name, read, written, fresh];
  return [
    row("tools", shares.tools),
    ...shares.sections.map((one) => row(`${one.section.name} (${one.slot})`, one.billed)),
    row("history", shares.history),
  ];
}

test("what was read is the start of a request, what was written follows, the rest is fresh", () => {
  expect(told(splitBill(sent, usage(320, 150, 95)))).toEqual([
    ["tools", 40, 0, 0],
    ["law (system)", 100, 0, 0],
    ["goals (system)", 10, 50, 0],
    ["goals (update)", 0, 5, 15],
    ["clock (state)", 0, 0, 20],
    ["history", 0, 40, 40],
  ]);
});

test("a provider that counts twice as much has every share twice as large", () => {
  expect(told(splitBill(sent, usage(640, 300, 190)))).toEqual([
    ["tools", 80, 0, 0],
    ["law (system)", 200, 0, 0],
    ["goals (system)", 20, 100, 0],
    ["goals (update)", 0, 10, 30],
    ["clock (state)", 0, 0, 40],
    ["history", 0, 80, 80],
  ]);
});

test("what asks for a summary is the last message", () => {
  const asking = receipt(
    [slot("system", [section("law", 10)]), slot("compaction", [section("compaction", 10)], 2)],
    { messages: 3, tokens: 30 },
    40,
  );
  expect(told(splitBill(asking, usage(40, 30)))).toEqual([
    ["tools", 0, 0, 0],
    ["law (system)", 10, 0, 0],
    ["compaction (compaction)", 0, 0, 10],
    ["history", 20, 0, 0],
  ]);
});

const silent: [what: string, Receipt, Usage][] = [
  ["the provider counted nothing", sent, usage(null)],
  ["nothing was predicted", { ...sent, predicted: undefined } as unknown as Receipt, usage(10)],
  ["nothing was sent", receipt([], { messages: 0, tokens: 0 }, 0), usage(10)],
];
for (const [what, kept, counted] of silent)
  test(`nobody has a share where ${what}`, () => {
    expect(splitBill(kept, counted)).toBeNull();
  });

const counts: [Usage, CacheTokens | null][] = [
  [usage(100, 60, 30), { read: 60, written: 30, fresh: 10 }],
  [usage(100), { read: 0, written: 0, fresh: 100 }],
  [usage(100, 90, 90), { read: 90, written: 10, fresh: 0 }],
  [usage(100, 200), { read: 100, written: 0, fresh: 0 }],
  [usage(0, 0, 0), { read: 0, written: 0, fresh: 0 }],
  [usage(null, 5), null],
];
for (const [counted, expected] of counts)
  test(`${JSON.stringify(counted)} in three`, () => {
    expect(cacheTokensOf(counted)).toEqual(expected);
  });

const size = fc.nat({ max: 5000 });

test("whatever was sent and however it was counted, the shares add up to the count, and none is negative", () => {
  const requests = fc.record({
    tools: size,
    prefix: fc.array(size, { maxLength: 6 }),
    updates: fc.array(fc.tuple(size, fc.nat({ max: 30 })), { maxLength: 4 }),
    state: fc.array(size, { maxLength: 3 }),
    said: size,
    messages: fc.nat({ max: 20 }),
  });
  fc.assert(
    fc.property(
      requests,
      size,
      size,
      size,
      ({ tools, prefix, updates, state, said, messages }, input, read, written) => {
        const history = { messages: messages + updates.length, tokens: said + sum(updates.map(([tokens]) => tokens)) };
        const kept = receipt(
          [
            slot(
              "system",
              prefix.map((tokens, index) => section(`p${index}`, tokens)),
            ),
            ...updates.map(([tokens, message], index) => slot("update", [section(`u${index}`, tokens)], message)),
            slot(
              "state",
              state.map((tokens, index) => section(`s${index}`, tokens)),
            ),
          ],
          history,
          tools + sum(prefix) + history.tokens + sum(state),
        );
        const shares = splitBill(kept, usage(input, read, written));
        if (!shares) return sum([tools, ...prefix, ...state]) + history.tokens === 0;
        const all = [shares.tools, shares.history, ...shares.sections.map((one) => one.billed)];
        expect(all.reduce(addTokens, noCacheTokens)).toEqual(cacheTokensOf(usage(input, read, written)));
        return all.every((one) => one.read >= 0 && one.written >= 0 && one.fresh >= 0) && sumTokens(shares.tools) >= 0;
      },
    ),
  );
});

test("what cannot be shared evenly goes to those who miss most", () => {
  expect(apportion(10, [1, 1, 1])).toEqual([4, 3, 3]);
  expect(apportion(7, [5, 3, 2])).toEqual([4, 2, 1]);
  expect(apportion(3, [0, 0])).toEqual([0, 0]);
  expect(apportion(0, [1, 2])).toEqual([0, 0]);
});

function sum(all: readonly number[]): number {
  return all.reduce((total, one) => total + one, 0);
}
