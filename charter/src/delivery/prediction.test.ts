import { expect, test } from "vitest";
import { house, told } from "../../test/delivery/house.ts";
import { anthropicLike, assistantSays, byCharacter, createTalk, openaiLike } from "../../test/delivery/talk.ts";
import type { CacheTokens, Placement, SectionText } from "../prompt/receipt.ts";
import { sha256 } from "../store/texts/packing.ts";
import { messageTokens } from "./cost.ts";
import type { Delivery } from "./deliver.ts";
import { markOf } from "./mark.ts";
import type { Message, ToolOffer } from "./model.ts";
import { historyDigest, predict, type ReusablePrefix, reusableOf } from "./prediction.ts";
import type { CacheRules, Receiver } from "./receiver.ts";

const words = (name: string, tokens: number | null, text = name.repeat(10)): SectionText => ({
  name,
  layer: "l",
  mutability: "live",
  stability: "stable",
  trust: "own",
  source: "test",
  revision: null,
  text,
  spans: [{ length: text.length, source: "test", revision: null, trust: "own" }],
  tokens,
});

const said = (characters: number): Message => ({ role: "user", text: "x".repeat(characters) });
const offers: ToolOffer[] = [{ name: "t", description: "", input: {} }];
const toolTokens = JSON.stringify(offers).length;

/** 38 tokens of tools; a prefix of 500, 300 and 200; messages of 100, 60 and 40. */
function request({ marks = [], breakpoints = [] }: { marks?: number[]; breakpoints?: number[] } = {}): Delivery {
  const history = [said(100), said(60), said(40)];
  return {
    request: { tools: offers, system: [], messages: [] },
    baseline: { version: 2, secret: "s", words: [], updates: [], offers: "o", summary: null },
    placements: [
      { slot: "system", sections: [words("a", 500), words("b", 300), words("c", 200)], breakpoints },
      { slot: "update", sections: [words("b", null)], message: 1 },
    ],
    history,
    said: [],
    added: [],
    marks,
    prefixChange: { how: "kept" },
  };
}

const prefixEnd = toolTokens + 1000;
const total = prefixEnd + 200;
const reading = (cache: CacheRules): Receiver => ({ ...openaiLike, cache });
const byPrefix = (min: number, granularity: number) => reading({ kind: "prefix", min, granularity, ttlSeconds: 300 });
const byMarks = (rules: Partial<Extract<CacheRules, { kind: "breakpoint" }>> = {}) =>
  reading({ kind: "breakpoint", min: 0, maxBreakpoints: 4, implicit: false, lookback: 20, ttlSeconds: 300, ...rules });
const all = { marks: [2, 3], breakpoints: [2, 3] };
const whole: ReusablePrefix = { sections: 3, messages: 2, breakpoints: [2, 3] };

const rows: [what: string, receiver: Receiver, Delivery, ReusablePrefix | null, Partial<CacheTokens>][] = [
  ["no cache", reading({ kind: "none" }), request(), whole, { fresh: total }],
  ["a prefix, nothing before", byPrefix(0, 1), request(), null, { fresh: total }],
  ["a prefix and two messages", byPrefix(0, 1), request(), whole, { read: prefixEnd + 160, fresh: 40 }],
  ["in steps", byPrefix(0, 128), request(), whole, { read: 1152, fresh: total - 1152 }],
  ["less than the minimum", byPrefix(prefixEnd + 161, 1), request(), whole, { fresh: total }],
  ["exactly the minimum", byPrefix(prefixEnd + 160, 1), request(), whole, { read: prefixEnd + 160, fresh: 40 }],
  [
    "a prefix whose second section changed",
    byPrefix(0, 1),
    request(),
    { ...whole, sections: 1 },
    { read: toolTokens + 500, fresh: total - toolTokens - 500 },
  ],
  ["breakpoints, nothing before", byMarks(), request(all), null, { written: total }],
  ["breakpoints", byMarks(), request(all), whole, { read: prefixEnd + 160, written: 40 }],
  [
    "one set by itself at the end",
    byMarks({ implicit: true }),
    request({ marks: [2], breakpoints: [2, 3] }),
    whole,
    { read: prefixEnd + 160, written: 40 },
  ],
  [
    "what stands behind the last mark",
    byMarks(),
    request({ marks: [2], breakpoints: [2, 3] }),
    whole,
    { read: prefixEnd + 160, fresh: 40 },
  ],
  [
    "a changed third section: up to the mark before it",
    byMarks(),
    request(all),
    { ...whole, sections: 2 },
    { read: toolTokens + 800, written: total - toolTokens - 800 },
  ],
  [
    "a changed third section, and no mark stood before it then",
    byMarks(),
    request(all),
    { ...whole, sections: 2, breakpoints: [3] },
    { written: total },
  ],
  [
    "a changed second section: the mark before it is none",
    byMarks(),
    request(all),
    { ...whole, sections: 1 },
    { written: total },
  ],
  [
    "after a fold into the same prefix",
    byMarks(),
    request(all),
    { ...whole, messages: 0 },
    { read: prefixEnd, written: 200 },
  ],
  [
    "an older mark found by looking back",
    byMarks({ lookback: 1 }),
    request({ marks: [3], breakpoints: [3] }),
    whole,
    { read: prefixEnd + 160, written: 40 },
  ],
  [
    "an older mark too far back",
    byMarks({ lookback: 0 }),
    request({ marks: [3], breakpoints: [3] }),
    whole,
    { read: prefixEnd, written: 200 },
  ],
  ["marks below the minimum", byMarks({ min: 5000 }), request(all), whole, { fresh: total }],
  ["no marks at all, as in one string", byMarks(), request(), { ...whole, breakpoints: [] }, { fresh: total }],
  [
    "no marks, and one set by itself at the end of each",
    byMarks({ implicit: true, lookback: null }),
    request(),
    { ...whole, breakpoints: [] },
    { read: prefixEnd + 160, written: 40 },
  ],
];
for (const [what, receiver, delivery, reusable, expected] of rows)
  test(`a request is billed by its receiver's rules: ${what}`, () => {
    const {
      predicted,
      placements,
      history,
      total: sum,
    } = predict(delivery, receiver, {
      reusable,
      tokenizer: byCharacter,
      sha256,
    });
    expect(predicted).toEqual({ read: 0, written: 0, fresh: 0, ...expected });
    expect(sum).toBe(total);
    expect(predicted.read + predicted.written + predicted.fresh).toBe(total);
    expect(placements.map(billed)).toEqual([1000, 60]);
    expect(history).toMatchObject({ messages: 3, tokens: 200, breakpoints: delivery.marks });
  });

function billed({ sections }: Placement): number {
  return sections.reduce((sum, one) => {
    if (typeof one === "string" || !one.predicted) return Number.NaN;
    expect(one.predicted.read + one.predicted.written + one.predicted.fresh).toBe(one.tokens);
    return sum + (one.tokens ?? Number.NaN);
  }, 0);
}

test("each section's words are read, written or fresh, and one may be part of both", () => {
  const { placements } = predict(request(), byPrefix(0, 128), { reusable: whole, tokenizer: byCharacter, sha256 });
  const [system, update, ...others] = placements.map(({ sections }) =>
    sections.map((one) => typeof one !== "string" && [one.name, one.tokens, one.predicted]),
  );
  expect(system).toEqual([
    ["a", 500, { read: 500, written: 0, fresh: 0 }],
    ["b", 300, { read: 300, written: 0, fresh: 0 }],
    ["c", 200, { read: 200, written: 0, fresh: 0 }],
  ]);
  const left = 1152 - prefixEnd - 100;
  expect(update).toEqual([["b", 60, { read: left, written: 0, fresh: 60 - left }]]);
  expect(others).toEqual([]);
});

test("words that were never counted are counted now", () => {
  const one = request();
  const placements = [{ slot: "system", sections: [words("a", null, "x".repeat(33))] }];
  const prediction = predict({ ...one, placements }, byPrefix(0, 1), {
    reusable: null,
    tokenizer: byCharacter,
    sha256,
  });
  expect(prediction.total).toBe(toolTokens + 33 + 200);
  expect(prediction.placements[0]?.sections[0]).toMatchObject({ tokens: 33 });
});

test("one string is predicted section by section too", () => {
  const talk = createTalk(house, { ...openaiLike, slots: "one-string" });
  talk.ask(told(), { input: "Hello." });
  talk.answer(assistantSays("Hi."));
  const { prediction, prompt } = talk.ask(told({ wishes: "Be long." }), { input: "Again." });
  const before = prompt.sections.find(({ name }) => name === "wishes")?.start as number;
  expect(prediction.total).toBe(prompt.text.length + 6 + 3 + 6);
  expect(prediction.predicted).toEqual({ read: before, written: 0, fresh: prediction.total - before });
  expect(prediction.placements[0]?.sections.map((one) => typeof one !== "string" && one.predicted?.fresh)).toEqual([
    0, 0, 0, 19, 11,
  ]);
});

test("a message of several sections is predicted section by section too", () => {
  const [b, d] = [words("b", 40), words("d", 20)];
  const one = request();
  const placements = [one.placements[0] as Placement, { slot: "update", sections: [b, d], message: 1 }];
  const prediction = predict({ ...one, placements }, byPrefix(0, 1), {
    reusable: whole,
    tokenizer: byCharacter,
    sha256,
  });
  expect(prediction.total).toBe(total);
  expect(prediction.placements[1]).toEqual({
    slot: "update",
    message: 1,
    sections: [
      { ...b, predicted: { read: 40, written: 0, fresh: 0 } },
      { ...d, predicted: { read: 20, written: 0, fresh: 0 } },
    ],
  });
});

// What the request before left.

test("a request begins like the one before as far as tools, sections and messages are the same", () => {
  const talk = createTalk(house, anthropicLike);
  const first = talk.ask(told(), { input: "Hello." }).delivery;
  talk.answer(assistantSays("Hi."));
  const second = talk.ask(told({ clock: "It is one." }), { input: "Again." }).delivery;
  const [prefix, offered] = [first.placements[0]?.sections as SectionText[], first.baseline.offers];
  const earlier = { prefix, messages: 2, offers: offered };
  expect(reusableOf(second, earlier, house, anthropicLike)).toEqual({ sections: 5, messages: 2, breakpoints: [3, 5] });
  expect(reusableOf(second, { ...earlier, messages: 9 }, house, anthropicLike)?.messages).toBe(5);
  expect(reusableOf(second, { ...earlier, offers: "others" }, house, anthropicLike)).toBeNull();
  const changed = prefix.map((one, index) => (index === 2 ? { ...one, text: "# Goals\nOther.\n\n" } : one));
  expect(reusableOf(second, { ...earlier, prefix: changed }, house, anthropicLike)).toMatchObject({
    sections: 2,
    messages: 0,
  });
  const longer = [...prefix, prefix[0] as SectionText];
  expect(reusableOf(second, { ...earlier, prefix: longer }, house, anthropicLike)).toMatchObject({
    sections: 5,
    messages: 0,
  });
});

test("a session's requests, as they are expected to be billed", () => {
  const talk = createTalk(house, anthropicLike);
  const first = talk.ask(told(), { input: "Hello." }).prediction;
  expect(first.predicted).toEqual({ read: 0, written: first.total, fresh: 0 });
  talk.answer(assistantSays("Hi."));
  const second = talk.ask(told({ clock: "It is one." }), { input: "Again." }).prediction;
  const clock = `${markOf("a secret", sha256)} It is one.`.length;
  expect(second.predicted).toEqual({ read: first.total, written: "Hi.".length + clock + "Again.".length, fresh: 0 });
  const cold = talk.ask(told(), { input: "Later.", cold: true }).prediction;
  expect(cold.predicted.read).toBe(0);
  const tools = talk.ask(told(), { input: "Look.", offers }).prediction;
  expect(tools.predicted.read).toBe(0);
});

// Messages.

const messages: [what: string, message: Message, counted: string][] = [
  ["a user's words", { role: "user", text: "Hello." }, "Hello."],
  ["an update", { role: "system", text: "New.", update: "goals" }, "New."],
  [
    "an answer with a call",
    { role: "assistant", text: "I look.", calls: [{ id: "c", name: "look", input: "{}" }] },
    "I look.\nlook\n{}",
  ],
  [
    "results",
    {
      role: "tool",
      results: [
        { call: "c", name: "look", output: "A cat." },
        { call: "d", name: "look", output: "No.", failed: true },
      ],
    },
    "look\nA cat.\nlook\nNo.",
  ],
];
for (const [what, message, counted] of messages)
  test(`a message is counted by its words: ${what}`, () => {
    expect(messageTokens(message, byCharacter)).toBe(counted.length);
    expect(messageTokens(message, { ...byCharacter, count: () => 7 })).toBe(7);
  });

test("a history's digest is of every message in its place", () => {
  const [a, b] = [said(1), said(2)];
  const digests = [[], [a], [b], [a, b], [b, a], [a, b, a]].map((history) => historyDigest(history, sha256));
  expect(new Set(digests).size).toBe(6);
  expect(historyDigest([{ ...a }, { ...b }], sha256)).toBe(historyDigest([a, b], sha256));
});
