import { expect, test } from "vitest";
import { house, revised, told } from "../../test/delivery/house.ts";
import {
  type Asking,
  anthropicLike,
  assistantSays,
  createTalk,
  openaiLike,
  receiptFor,
} from "../../test/delivery/talk.ts";
import { assemble, type Readings } from "../index.ts";
import { planOf } from "../prompt/plan.ts";
import type { CacheTokens } from "../prompt/receipt.ts";
import type { PriorRequest } from "./cache-break.ts";
import type { ToolOffer, Usage } from "./model.ts";
import { ownOrder } from "./own-order.ts";
import type { Receiver } from "./receiver.ts";

const { byName } = planOf(house);
const placeOf = (section: string) => byName.get(section)?.index;

/**
 * A session; of each request what it would have been billed as, counted by the provider as we count: what it read is what
 * was predicted, unless a test says otherwise.
 */
function session(receiver: Receiver, counted: Partial<Usage> = {}, times = 1) {
  const talk = createTalk(house, receiver);
  let last: PriorRequest | null = null;
  return (minute: number, readings: Readings, asking: Asking = {}, about: Partial<PriorRequest> = {}) => {
    const at = new Date(Date.UTC(2026, 1, 18, 12, minute)).toISOString();
    const said = talk.ask(readings, { input: "0123456789", ...asking });
    talk.answer(assistantSays("0123456789"));
    const now = { at, receipt: receiptFor(house, said, receiver), ...about };
    const { total, predicted } = said.prediction;
    const usage: Usage = { input: total * times, read: predicted.read * times, written: 0, output: 0, ...counted };
    const bill = ownOrder(last, now, { receiver, usage, placeOf });
    last = now;
    return bill;
  };
}

/** How long the whole prompt is in one string, and up to a section's words in it. */
function lengths(readings: Readings) {
  const { text } = assemble(house, readings);
  return { all: text.length, upTo: (words: string) => text.indexOf(words) };
}

const fresh = (tokens: number): CacheTokens => ({ read: 0, written: 0, fresh: tokens });

test("a prefix is read up to the first word that changed, which is early where state stands in the middle", () => {
  const ask = session(openaiLike);
  const [noon, one] = [told(), told({ inbox: "Hello?" })];
  expect(ask(0, noon)).toEqual(fresh(lengths(noon).all + 10));
  const { all, upTo } = lengths(one);
  // It was told in the history, in a tag; there no separator follows it.
  const after = all - upTo("# Inbox") + 30 - "\n\n".length;
  expect(ask(1, one)).toEqual({ read: upTo("# Inbox"), written: 0, fresh: after });
  expect(ask(2, one)).toEqual({ read: upTo("# Inbox") + after, written: 0, fresh: 20 });
});

test("a change stands in its place, not in the history, and everything behind it is new", () => {
  const ask = session(openaiLike);
  ask(0, told());
  const changed = revised({ goals: "Rest." }, { goals: 1 });
  const { all, upTo } = lengths(changed);
  // It was told in the history; there no separator follows it.
  const after = all - upTo("# Goals") + 30 - "\n\n".length;
  expect(ask(1, changed)).toEqual({ read: upTo("# Goals"), written: 0, fresh: after });
  expect(ask(2, changed)).toEqual({ read: upTo("# Goals") + after, written: 0, fresh: 20 });
});

test("by marks it is all or nothing: the tools, the whole prompt, the history", () => {
  const offers: ToolOffer[] = [{ name: "look", description: "", input: {} }];
  const tools = JSON.stringify(offers).length;
  const ask = session(anthropicLike);
  const { all } = lengths(told());
  const whole = tools + all + 10;
  expect(ask(0, told(), { offers })).toEqual({ read: 0, written: whole, fresh: 0 });
  expect(ask(1, told(), { offers })).toEqual({ read: whole, written: 20, fresh: 0 });
  const changed = told({ clock: "It is two." });
  const { all: longer } = lengths(changed);
  expect(ask(2, changed, { offers })).toEqual({ read: tools, written: longer + 50, fresh: 0 });
  expect(ask(3, changed)).toEqual({ read: 0, written: longer + 70, fresh: 0 });
});

test("a mark too far back is not found, and the prompt before the history is", () => {
  const ask = session({ ...anthropicLike, cache: { ...anthropicLike.cache, lookback: 1 } as Receiver["cache"] });
  const { all } = lengths(told());
  ask(0, told());
  expect(ask(1, told())).toEqual({ read: all, written: 30, fresh: 0 });
});

test("nothing is read that is cold, too short, or never kept", () => {
  const rows: [Receiver, minutes: number, written: number, fresh: number][] = [
    [anthropicLike, 6, 1, 0],
    [{ ...openaiLike, cache: { kind: "none" } }, 1, 0, 1],
    [{ ...openaiLike, cache: { kind: "prefix", min: 9999, granularity: 1, ttlSeconds: 300 } }, 1, 0, 1],
    [{ ...anthropicLike, cache: { ...anthropicLike.cache, min: 9999 } as Receiver["cache"] }, 1, 0, 1],
  ];
  const { all } = lengths(told());
  for (const [receiver, minutes, written, rest] of rows) {
    const ask = session(receiver);
    ask(0, told());
    expect(ask(minutes, told())).toEqual({ read: 0, written: written * (all + 30), fresh: rest * (all + 30) });
  }
});

test("a history that was summed up is another", () => {
  const ask = session(openaiLike);
  const { all } = lengths(told());
  ask(0, told(), {}, { summarised: true });
  expect(ask(1, told())).toEqual({ read: all, written: 0, fresh: 30 });
});

test("it is told in the provider's measure", () => {
  const { all } = lengths(told());
  const ask = session(openaiLike, {}, 3);
  expect(ask(0, told())).toEqual(fresh(3 * (all + 10)));
  expect(ask(1, told())).toEqual({ read: 3 * (all + 10), written: 0, fresh: 60 });
});

test("what other sessions left is read in this order as well, up to the first section of state", () => {
  const { all, upTo } = lengths(told());
  expect(session(openaiLike, { read: 50 })(0, told())).toEqual({ read: 50, written: 0, fresh: all - 40 });
  const lead = upTo("It is noon.");
  expect(session(openaiLike, { read: lead + 3 })(0, told())).toEqual({
    read: lead,
    written: 0,
    fresh: all - lead + 10,
  });
  // By marks, one string that is not the same is not found in part.
  expect(session(anthropicLike, { read: 50 })(0, told())).toEqual({ read: 0, written: all + 10, fresh: 0 });
});

test("what other sessions left ends where this order has other words, although they were told in the history", () => {
  const ask = session(openaiLike, { read: 10_000 });
  ask(0, told());
  const changed = revised({ soul: "Be stern." }, { soul: 1 });
  expect(ask(1, changed)?.read).toBe(lengths(changed).upTo("# Soul"));
});

test("what a provider had lost, or does not tell, it has in no order", () => {
  const { all } = lengths(told());
  const rows: [Receiver, Partial<Usage>, CacheTokens][] = [
    [openaiLike, { read: 0 }, fresh(all + 30)],
    [openaiLike, { read: null, written: null }, fresh(all + 30)],
    [anthropicLike, { read: 0, written: 9 }, { read: 0, written: all + 30, fresh: 0 }],
    [anthropicLike, { read: null, written: null }, fresh(all + 30)],
  ];
  for (const [receiver, counted, expected] of rows) {
    const ask = session(receiver, counted);
    ask(0, told());
    expect(ask(1, told())).toEqual(expected);
  }
});

test("words of one revision that were cut, or stand in another edition, are others", () => {
  const said = createTalk(house, openaiLike).ask(revised({}, { soul: 1 }), { input: "0123456789" });
  const at = "2026-02-18T12:00:00.000Z";
  const receipt = receiptFor(house, said, openaiLike);
  const usage: Usage = { input: said.prediction.total, read: 1, written: 0, output: 0 };
  const ordering = { receiver: openaiLike, usage, placeOf };
  const { upTo } = lengths(revised({}, { soul: 1 }));
  expect(ownOrder({ at, receipt }, { at, receipt }, ordering)?.fresh).toBe(0);
  const cuts = [{ section: "soul" } as unknown as (typeof receipt.cuts)[number]];
  expect(ownOrder({ at, receipt }, { at, receipt: { ...receipt, cuts } }, ordering)?.read).toBe(upTo("# Soul"));
  const compact = { ...receipt, edition: "compact" as const };
  expect(ownOrder({ at, receipt }, { at, receipt: compact }, ordering)?.read).toBe(1);
});

test("whatever the history became, nothing is billed that is less than nothing", () => {
  const said = createTalk(house, openaiLike).ask(told(), { input: "0123456789" });
  const receipt = receiptFor(house, said, openaiLike);
  const at = "2026-02-18T12:00:00.000Z";
  const history = { ...(receipt.history as NonNullable<typeof receipt.history>), messages: 1, tokens: 5000 };
  const long = { ...receipt, history, predicted: { read: 0, written: 0, fresh: said.prediction.total + 4990 } };
  for (const receiver of [openaiLike, anthropicLike]) {
    const usage: Usage = { input: said.prediction.total, read: 1, written: 0, output: 0 };
    const bill = ownOrder({ at, receipt: long }, { at, receipt }, { receiver, usage, placeOf }) as CacheTokens;
    expect([bill.fresh, bill.written].every((count) => count >= 0)).toBe(true);
    expect(bill.read + bill.written + bill.fresh).toBe(said.prediction.total);
  }
});

test("a receiver without slots was billed for this very order; where nothing was counted nothing is told", () => {
  const receiver: Receiver = { ...openaiLike, slots: "one-string" };
  const said = createTalk(house, receiver).ask(told(), { input: "Hello." });
  const now = { at: "2026-02-18T12:00:00.000Z", receipt: receiptFor(house, said, receiver) };
  const usage: Usage = { input: 500, read: 100, written: 50, output: 1 };
  expect(ownOrder(null, now, { receiver, usage, placeOf })).toEqual({ read: 100, written: 50, fresh: 350 });
  const quiet = createTalk(house, receiver).ask(told({ clock: "" }), { input: "Hello." });
  const still = { ...now, receipt: receiptFor(house, quiet, receiver) };
  expect(ownOrder(still, still, { receiver, usage, placeOf })).toEqual({ read: 100, written: 50, fresh: 350 });
  const silent: Usage = { input: null, read: null, written: null, output: null };
  expect(ownOrder(null, now, { receiver, usage: silent, placeOf })).toBeNull();
  const { predicted: _, ...uncounted } = now.receipt;
  expect(ownOrder(null, { ...now, receipt: uncounted }, { receiver, usage, placeOf })).toBeNull();
});
