import { expect, test } from "vitest";
import { type Amendment, standingText, toldHistory } from "./authorship.ts";

const amendment = (revision: number, before: string | null, after: string | null) =>
  ({ revision, before, after }) as Amendment;
const history = [amendment(3, "b", "c"), amendment(2, "a", "b"), amendment(1, "", "a")];

test("a history is told from its beginning, oldest first, up to the revision that is looked at", () => {
  expect(toldHistory("", history, 3)).toEqual({
    original: { text: "", revision: 0 },
    amendments: [
      { revision: 1, after: "a" },
      { revision: 2, after: "b" },
      { revision: 3, after: "c" },
    ],
  });
  expect(standingText(toldHistory("", history, 2))).toBe("b");
});

test("what was never amended is the original", () => {
  expect(toldHistory("Born.", [], 0)).toEqual({ original: { text: "Born.", revision: 0 }, amendments: [] });
});

test("a history that is not told to its beginning starts with the words before its first amendment", () => {
  expect(toldHistory("", history.slice(0, 1), 3)).toEqual({
    original: { text: "b", revision: 2 },
    amendments: [{ revision: 3, after: "c" }],
  });
});

test("erased words are where a history starts anew", () => {
  const erased = [amendment(3, "b", "c"), amendment(2, null, "b"), amendment(1, "", null)];
  expect(toldHistory("", erased, 3)).toEqual({
    original: { text: "b", revision: 2 },
    amendments: [{ revision: 3, after: "c" }],
  });
  expect(toldHistory("", [amendment(2, null, null)], 2)).toEqual({
    original: { text: "", revision: 0 },
    amendments: [],
  });
});
