import { expect, test } from "vitest";
import { effectOf, type FirstFacts, firstSteps, isFresh, nextStep, readRemembered } from "./first-steps.tsx";

const nothing: FirstFacts = { said: false, seen: false, changed: false };

test("each step is done by what is on record; the next is the first that is not", () => {
  const rows: [facts: Partial<FirstFacts>, done: boolean[], next: string | undefined][] = [
    [{}, [false, false, false], "say"],
    [{ said: true }, [true, false, false], "see"],
    [{ said: true, seen: true }, [true, true, false], "change"],
    [{ said: true, seen: true, changed: true }, [true, true, true], undefined],
    [{ seen: true }, [false, false, false], "say"],
    [{ changed: true }, [false, false, true], "say"],
  ];
  expect(
    rows.map(([facts]) => {
      const steps = firstSteps({ ...nothing, ...facts });
      return [facts, steps.map(({ done }) => done), nextStep(steps)?.name];
    }),
  ).toEqual(rows);
});

test("what came of what was said is what the record has, also after a person edited the section", () => {
  const none = { landed: false, amended: false, held: false };
  const ended = { state: "answered" };
  expect([
    effectOf(undefined, none),
    effectOf({ state: "running" }, none),
    effectOf(ended, none),
    effectOf({ state: "failed" }, none),
    effectOf(ended, { ...none, landed: true, amended: true }),
    effectOf(ended, { ...none, amended: true }),
    effectOf({ state: "running" }, { ...none, amended: true, held: true }),
    effectOf(ended, { ...none, held: true }),
  ]).toEqual([undefined, undefined, "nothing", "nothing", "landed", "edited", "edited", "held"]);
});

test("one begins with the three steps where there is one agent that has hardly spoken", () => {
  const served = { served: true };
  expect([
    isFresh([served], 0),
    isFresh([served], 5),
    isFresh([{}], 1),
    isFresh([served], 6),
    isFresh([], 0),
    isFresh([served, served], 0),
    isFresh([{ served: false }], 0),
  ]).toEqual([true, true, true, false, false, false, false]);
});

test("whatever stands where the browser remembers it is read, or is nothing", () => {
  const rows: [kept: string | null, read: object][] = [
    [null, {}],
    ["", {}],
    ["null", {}],
    ["{", {}],
    ['{"agent":7,"seen":"yes","ended":1}', {}],
    [
      '{"agent":"ada","seen":true,"changed":true,"ended":true}',
      { agent: "ada", seen: true, changed: true, ended: true },
    ],
  ];
  expect(rows.map(([kept]) => [kept, readRemembered(kept)])).toEqual(rows);
});
