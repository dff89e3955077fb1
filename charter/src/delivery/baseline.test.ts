import { expect, test } from "vitest";
import { house, told } from "../../test/delivery/house.ts";
import { createTalk, openaiLike } from "../../test/delivery/talk.ts";
import { type Baseline, baselineOf, lastSaid } from "./baseline.ts";

const talk = createTalk(house, openaiLike);
talk.ask(told(), { input: "Hello." });
talk.ask(told({ goals: "Rest." }), { input: "Rest." });
talk.ask(told({ goals: "Sleep.", wishes: "" }), { input: "Sleep." });
const baseline = talk.baseline as Baseline;

test("what was said last of a section: in the prefix, in the newest update, or that it is gone", () => {
  expect(["law", "goals", "wishes", "clock", "nothing"].map((name) => lastSaid(baseline, name)?.text)).toEqual([
    "# Law\nHarm no one.",
    "# Goals\nSleep.",
    undefined,
    undefined,
    undefined,
  ]);
  expect(lastSaid(baseline, "wishes")).toBeNull();
  expect(lastSaid(baseline, "clock")).toBeUndefined();
});

test("only the newest update of a section keeps its whole words; each keeps whose words it is made of", () => {
  const opening = { length: 45, source: "delivery", revision: null, trust: "own" };
  expect(baseline.updates.map(({ section, told, words }) => [section, told?.spans[0], words?.text])).toEqual([
    ["goals", opening, undefined],
    ["goals", opening, "# Goals\nSleep."],
    ["wishes", undefined, undefined],
  ]);
});

test("a baseline is read back as it was kept, and anything else is none", () => {
  expect(baselineOf(JSON.parse(JSON.stringify(baseline)))).toEqual(baseline);
  for (const value of [null, undefined, "then", 1, {}, { version: 2, words: [], updates: [] }, { version: 1 }])
    expect(baselineOf(value)).toBeNull();
});
