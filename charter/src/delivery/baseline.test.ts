import { expect, test } from "vitest";
import { house, told } from "../../test/delivery/house.ts";
import { assistantSays, createTalk, openaiLike } from "../../test/delivery/talk.ts";
import { type Baseline, baselineOf, lastSaid } from "./baseline.ts";

const talk = createTalk(house, openaiLike);
talk.ask(told(), { input: "Hello." });
talk.answer(assistantSays("Hi."));
talk.ask(told({ goals: "Rest." }), { input: "Rest." });
talk.answer(assistantSays("I do."));
talk.ask(told({ goals: "Sleep.", wishes: "" }), { input: "Sleep." });
const baseline = talk.baseline as Baseline;

test("what was said last of a section: in the prefix, in the newest update, or that it is gone", () => {
  expect(["law", "goals", "wishes", "clock", "nothing"].map((name) => lastSaid(baseline, name)?.text)).toEqual([
    "# Law\nHarm no one.",
    "# Goals\nSleep.",
    undefined,
    "It is noon.",
    undefined,
  ]);
  expect(lastSaid(baseline, "wishes")).toBeNull();
  expect(lastSaid(baseline, "nothing")).toBeUndefined();
});

test("only the newest update of a section keeps its whole words; each keeps whose words it is made of", () => {
  const opening = { length: 45, source: "delivery", revision: null, trust: "own" };
  const clock = { length: 11, source: "clock", revision: null, trust: "own" };
  expect(baseline.updates.map(({ section, told, words }) => [section, told?.spans[0], words?.text])).toEqual([
    ["clock", clock, "It is noon."],
    ["goals", opening, undefined],
    ["goals", opening, "# Goals\nSleep."],
    ["wishes", undefined, undefined],
  ]);
});

test("a baseline is read back as it was kept, and anything else is none", () => {
  expect(baselineOf(JSON.parse(JSON.stringify(baseline)))).toEqual(baseline);
  expect(baselineOf({ ...baseline, version: 1 })).toEqual({ ...baseline, version: 1 });
  for (const value of [null, undefined, "then", 1, {}, { ...baseline, version: 3 }, { version: 1 }, { version: 2 }])
    expect(baselineOf(value)).toBeNull();
});
