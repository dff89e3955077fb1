import { expect, test } from "vitest";
import { clockWords } from "./clock-words.ts";

const noon = new Date(2026, 1, 18, 12).getTime();
const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;

test("a time by one's own clock", () => {
  expect([clockWords(noon), clockWords(noon, here)]).toEqual(["Wed 18 Feb, 12:00", "Wed 18 Feb, 12:00"]);
});

test("where it goes by another clock, that one's hour stands with it", () => {
  const utc = Date.UTC(2026, 1, 18, 12);
  expect(clockWords(utc, "Asia/Kolkata")).toMatch(/ \(17:30 in Asia\/Kolkata\)$/);
});
