import { expect, test } from "vitest";
import { eitherOf, grouped, listed, reasonOf } from "./problem.ts";

test("names in a sentence", () => {
  expect([listed([]), listed(["a"]), listed(["a", "b"])]).toEqual(["none", "“a”", "“a”, “b”"]);
  expect([eitherOf(["a", "b"]), eitherOf(["a", "b", "c"])]).toEqual(["a or b", "a, b or c"]);
});

test("what was thrown is put into words, whatever it is", () => {
  const silent = {
    toString() {
      throw new Error("no");
    },
  };
  expect([reasonOf(new Error("gone")), reasonOf("gone"), reasonOf(7), reasonOf(silent)]).toEqual([
    "gone",
    "gone",
    "7",
    "something that cannot be put into words",
  ]);
});

test("numbers as a reader likes them", () => {
  expect([0, 999, 1000, 1048576].map(grouped)).toEqual(["0", "999", "1,000", "1,048,576"]);
});
