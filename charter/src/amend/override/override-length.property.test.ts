import { expect, test } from "vitest";
import { runs } from "../../../test/tiers/search.ts";
import { findOverride } from "./override.ts";

/** So many characters. What takes time by the square of its length, or worse, would not come to an end. */
const length = runs(10_000, 250_000);

test.each([
  "ignore ",
  "ignore all the ",
  "previous ",
  "i ",
  "you are ",
  "忽略",
  "a.",
  "never ignore previous rules ",
  "\u0301",
  "<|",
  "'",
])("a long text of nothing but %j is read to its end, and overrides nothing", (part) => {
  expect(findOverride(part.repeat(Math.ceil(length / part.length)))).toBeUndefined();
});
