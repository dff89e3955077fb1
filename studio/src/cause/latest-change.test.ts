import { expect, test } from "vitest";
import { latestOf, linesWords } from "./latest-change.tsx";

test("the section that was changed last is named; one that nobody changed is not", () => {
  const soul = { name: "soul", revision: 2, updatedAt: "2026-02-18T10:00:00.000Z" };
  const instructions = { name: "instructions", revision: 1, updatedAt: "2026-02-18T11:00:00.000Z" };
  const identity = { name: "identity", revision: 0, updatedAt: null };
  expect(latestOf([soul, instructions, identity])).toBe(instructions);
  expect(latestOf([identity])).toBeUndefined();
});

test("lines that came and went are counted, and nothing is said of what is not known", () => {
  expect(linesWords("", "Always answer in bullet points.")).toBe("+1 line");
  expect(linesWords("One.\nTwo.", "One.\nTwo.\nThree.\nFour.")).toBe("+2 lines");
  expect(linesWords("One.\nTwo.", "One.")).toBe("−1 line");
  expect(linesWords("One.\nTwo.", "One.\nThree.")).toBe("+1 −1 line");
  expect(linesWords("One.", "One.")).toBeUndefined();
  expect(linesWords(null, "One.")).toBeUndefined();
  expect(linesWords("x".repeat(100_000), "One.")).toBeUndefined();
});
