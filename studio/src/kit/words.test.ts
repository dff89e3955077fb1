import { expect, test } from "vitest";
import { shortTime, sourceText } from "./words.ts";

test("a time in a narrow column says no more than it has to", () => {
  const now = new Date(2026, 10, 17, 9, 30);
  expect(shortTime(new Date(2026, 10, 17, 8, 5, 59).toISOString(), now)).toBe("08:05");
  expect(shortTime(new Date(2026, 10, 16, 8, 5).toISOString(), now)).toBe("16 Nov 08:05");
  expect(shortTime(new Date(2025, 10, 17, 8, 5).toISOString(), now)).toBe("17 Nov 2025");
});

test("a text's source is said in words, and a source of one's own by its name", () => {
  expect(["standing", "original", "charter", "clock"].map(sourceText)).toEqual([
    "current text",
    "original text",
    "charter",
    "clock",
  ]);
});
