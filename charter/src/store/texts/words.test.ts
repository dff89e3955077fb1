import { expect, test } from "vitest";
import { wordsOf } from "./text.ts";

test("words, and pairs of letters where no spaces part them", () => {
  const words = (text: string) => wordsOf(text).map(({ folded }) => folded);
  expect(words("Grüner Tee, 2 Tassen: 绿茶好")).toEqual(["gruner", "tee", "2", "tassen", "绿茶", "茶好"]);
});

test("a text of two hundred thousand letters without a space has its pairs all the same", () => {
  expect(wordsOf("茶".repeat(200_000)).length).toBe(199_999);
});
