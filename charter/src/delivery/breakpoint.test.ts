import { expect, test } from "vitest";
import { house, told } from "../../test/delivery/house.ts";
import { anthropicLike, assistantSays, createTalk, openaiLike } from "../../test/delivery/talk.ts";
import { blocksOf, historyBreakpoints, prefixBreakpoints, withBreakpoints } from "./deliver.ts";
import type { Message } from "./model.ts";
import type { Receiver } from "./receiver.ts";

const cache = { kind: "breakpoint", min: 0, implicit: false, lookback: 20, ttlSeconds: 300 } as const;
const max = (count: number): Receiver => ({ ...anthropicLike, cache: { ...cache, maxBreakpoints: count } });

/** Where breakpoints stand in a request: after which block, after which message. */
function marked(receiver: Receiver) {
  const talk = createTalk(house, receiver);
  talk.ask(told(), { input: "One." });
  talk.answer(assistantSays("1."));
  const { system, messages } = talk.ask(told({ goals: "Rest." }), { input: "Two." }).delivery.request;
  return {
    blocks: system.map(({ breakpoint = false }) => breakpoint),
    messages: messages.map(({ breakpoint = false }) => breakpoint),
  };
}

// The messages: the clock / One. / 1. / the update / Two.
const rows: [count: number, blocks: boolean[], messages: boolean[]][] = [
  [4, [true, true], [false, true, false, false, true]],
  [3, [true], [false, true, false, false, true]],
  [2, [true], [false, false, false, false, true]],
  [1, [false], [false, false, false, false, true]],
  [0, [false], [false, false, false, false, false]],
];
for (const [count, blocks, messages] of rows)
  test(`of ${count} breakpoints the ends of this history and of the last come first, then the prefix, then its shared part`, () => {
    expect(marked(max(count))).toEqual({ blocks, messages });
  });

test("a receiver that caches by itself is given none", () => {
  expect(marked(openaiLike)).toEqual({ blocks: [false], messages: [false, false, false, false, false] });
  expect(marked({ ...openaiLike, cache: { kind: "none" } })).toEqual(marked(openaiLike));
});

test("the shared part ends before the first section of a user's own, or before the mark", () => {
  const prefix = (readings: Parameters<typeof told>[0], receiver = max(4)) => {
    const { placements } = createTalk(house, receiver).ask(told(readings), { input: "Hm?" }).delivery;
    return placements[0]?.breakpoints;
  };
  expect(prefix({})).toEqual([3, 5]);
  expect(prefix({ wishes: "" })).toEqual([3, 4]);
  expect(prefix({ wishes: "" }, { ...max(4), voice: "system" })).toEqual([3]);
  expect(prefix({}, { ...max(4), voice: "system" })).toEqual([3, 4]);
  expect(prefixBreakpoints(house, [], max(4))).toEqual([]);
});

const said = (count: number): Message[] =>
  Array.from({ length: count }, (_, index) => ({ role: "user", text: `Message ${index + 1}.` }));

test("after a fold, or in a first request, there is no older end to mark", () => {
  expect(historyBreakpoints(said(5), 0, max(4))).toEqual([5]);
  expect(historyBreakpoints(said(5), 5, max(4))).toEqual([5]);
  expect(historyBreakpoints(said(5), 3, max(4))).toEqual([3, 5]);
  expect(historyBreakpoints(said(0), 0, max(4))).toEqual([]);
});

test("what the receiver forgets carries no breakpoint: it stands before that", () => {
  const rain: Message = { role: "system", text: "It rains.", update: "hooks", clears: true };
  expect(historyBreakpoints([...said(3), rain], 0, max(4))).toEqual([3]);
  expect(historyBreakpoints([...said(3), rain, rain], 2, max(4))).toEqual([2, 3]);
  expect(historyBreakpoints([...said(3), rain], 3, max(4))).toEqual([3]);
  expect(historyBreakpoints([rain], 0, max(4))).toEqual([]);
  expect(historyBreakpoints([rain, ...said(2)], 1, max(4))).toEqual([1, 3]);
});

test("blocks are cut at breakpoints only, and an empty one is none", () => {
  const words = createTalk(house, openaiLike).ask(told(), { input: "Hm?" }).delivery.baseline.words;
  const [law, soul] = [words.slice(0, 1), words.slice(1, 2)];
  expect(blocksOf([...law, ...soul], [1])).toEqual([
    { text: "# Law\nHarm no one.", breakpoint: true },
    { text: "# Soul\nBe kind." },
  ]);
  expect(blocksOf([], [])).toEqual([]);
});

test("a message is marked in a copy", () => {
  const message = { role: "user", text: "Hm?" } as const;
  expect(withBreakpoints([message], [1])).toEqual([{ role: "user", text: "Hm?", breakpoint: true }]);
  expect(message).toEqual({ role: "user", text: "Hm?" });
});
