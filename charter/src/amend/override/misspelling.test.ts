import { expect, test } from "vitest";
import { intended } from "./misspelling.ts";

const rows: [word: string, key: string | undefined][] = [
  ["ingore", "ignore"],
  ["ignor", "ignore"],
  ["ignroe", "ignore"],
  ["disregrad", "disregard"],
  ["everthing", "everything"],
  ["evrything", "everything"],
  ["instuctions", "instructions"],
  ["instrctions", "instructions"],
  ["previuos", "previous"],
  ["guidlines", "guidelines"],
  ["ignore", undefined],
  ["ignored", undefined],
  ["forgets", undefined],
  ["forge", undefined],
  ["forgot", undefined],
  ["precious", undefined],
  ["previews", undefined],
  ["instructors", undefined],
  ["directions", undefined],
  ["discord", undefined],
  ["gnore", undefined],
];
for (const [word, key] of rows) test(`“${word}” is ${key ?? "spelt right"}`, () => expect(intended(word)).toBe(key));
