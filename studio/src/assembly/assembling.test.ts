import type { Charter, Readings } from "charter";
import type { PromptInputsAnswer } from "charter/answers";
import { expect, test } from "vitest";
import { assembledOf, type Gathered, gatheredOf, promptOf, rangeOf } from "./assembling.ts";

/** A word is a token. */
const byWords = { name: "words", exact: true, count: (text: string) => text.match(/\S+/g)?.length ?? 0 };

const facts = Array.from({ length: 6 }, (_, at) => ({ id: `f${at}`, kind: "fact", text: `Fact number ${at}.` }));
const charter: Charter = {
  name: "small",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "rules", words: "Be kind to everyone." }] },
    {
      name: "known",
      mutability: "live",
      sections: [
        { name: "facts", trust: "own", sources: [] },
        { name: "news", trust: "own", sources: [] },
        { name: "mail", trust: "own", sources: [] },
      ],
    },
  ],
  limit: { tokens: 500, compact: { tokens: 50 } },
  givesWay: [
    { section: "news", from: "end", told: "(no news)" },
    { section: "facts", parts: "fact", from: "start", told: "(not here: {missing})" },
  ],
};
const readings: Readings = {
  facts: { status: "present", parts: facts },
  news: { status: "present", parts: [{ text: "It rains. It has rained since Monday, and it will rain." }] },
  mail: { status: "unavailable", reason: "The mill is closed." },
};
const answer = (given: object = {}) =>
  ({
    charter: JSON.parse(JSON.stringify(charter)),
    readings: JSON.parse(JSON.stringify(readings)),
    notices: [{ code: "bad-zone", message: "There is no zone." }],
    edition: "full",
    at: "2026-02-18T12:00:00.000Z",
    channels: ["web"],
    toolTokens: 90,
    receiver: {
      ...{ name: "p/m", slots: "layered", window: 1000, cacheMin: 1024, price: null },
      tokenizer: { name: "words", exact: true },
    },
    ...given,
  }) as unknown as PromptInputsAnswer;
const gather = (given?: object): Promise<Gathered> => gatheredOf(answer(given), async () => byWords);

test("what was sent as plain data is assembled as the charter says, and counted section by section", async () => {
  const gathered = await gather();
  const made = assembledOf(gathered, promptOf(gathered, {}));
  expect(made).toMatchObject({
    edition: "full",
    about: {
      edition: "full",
      limit: 500,
      channels: ["web"],
      toolTokens: 90,
      receiver: { name: "p/m", cacheMin: 1024 },
    },
    tokens: { total: 33, tokenizer: "words", exact: true },
    cuts: [],
    omitted: [{ name: "mail", reason: "unavailable" }],
  });
  expect(made.sections.map(({ name, tokens }) => [name, tokens])).toEqual([
    ["rules", 4],
    ["facts", 18],
    ["news", 11],
  ]);
  expect(made.notices.map(({ code }) => code)).toEqual(["bad-zone", "source-unavailable"]);
  expect(structuredClone(made)).toEqual(made);
});

test("cuts are told in the order in which they gave way, not in that of the prompt", async () => {
  const gathered = await gather();
  const { cuts } = assembledOf(gathered, promptOf(gathered, { tokens: 20 }));
  expect(cuts.map(({ section, form, kept, missing }) => [section, form, kept, missing])).toEqual([
    ["news", "dropped", 0, 1],
    ["facts", "shorter", 3, 3],
  ]);
});

test("each edition has its own limit, and a count by another's tokenizer is an estimate", async () => {
  const tokenizer = { name: "words", exact: false };
  const gathered = await gather({ receiver: { ...answer().receiver, tokenizer } });
  const made = assembledOf(gathered, promptOf(gathered, { edition: "compact" }));
  expect([made.edition, made.about.limit, made.tokens.exact]).toEqual(["compact", 50, false]);
});

test("the range is from the fewest tokens it fits into to the whole, whatever the charter's own limit", async () => {
  const gathered = await gather({ charter: { ...charter, limit: { tokens: 25 } } });
  let rests = 0;
  const range = await rangeOf(gathered, {}, async () => {
    rests++;
  });
  expect(range).toEqual({ least: 9, whole: 33 });
  expect(rests).toBeLessThan(8);
  expect(promptOf(gathered, { tokens: 9 }).tokens(byWords).total).toBe(9);
  expect(() => promptOf(gathered, { tokens: 8 })).toThrow("needs 9 tokens and may have 8");
});

test("where nothing gives way the least is the whole, and where nothing fits there is no range", async () => {
  const stiff = await gather({ charter: { ...charter, givesWay: [] } });
  expect(await rangeOf(stiff, {}, async () => {})).toEqual({ least: 33, whole: 33 });
  const narrow = await gather({ charter: { ...charter, givesWay: [], limit: { chars: 10 } } });
  expect(await rangeOf(narrow, {}, async () => {})).toBeUndefined();
});
