import { expect, test } from "vitest";
import { causeWords, stateWords } from "./state-words.ts";

test("a state is said in plain words; one nobody knows by its name", () => {
  expect(["Inferring", "Dreaming"].map((state) => stateWords(state).title)).toEqual(["Thinking", "Dreaming"]);
});

const causes: [cause: string, words: string][] = [
  ["turn-quiet", "there was nothing to do"],
  ["OutOfCycles", "the budget is used up"],
  ["model-asked is not foreseen in Idle", "“the model was asked” was not expected while “Idle”"],
  ["something else", "something else"],
];
for (const [cause, words] of causes) test(`“${cause}” is “${words}”`, () => expect(causeWords(cause)).toBe(words));
