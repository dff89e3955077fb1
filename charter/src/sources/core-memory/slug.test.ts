import { expect, test } from "vitest";
import { isSlug } from "./memory-key.ts";

test.each([
  ["core", true],
  ["mem/a", true],
  ["mem/0", true],
  ["mem/people/ada_l-1", true],
  [`mem/${"a".repeat(64)}`, true],
  [`mem/${"a".repeat(65)}`, false],
  [`mem/${"a/".repeat(125)}a`, true],
  [`mem/${"a/".repeat(125)}ab`, false],
  ["Core", false],
  ["core/a", false],
  ["mem", false],
  ["mem/", false],
  ["mem//a", false],
  ["mem/a/", false],
  ["mem/-a", false],
  ["mem/_a", false],
  ["mem/A", false],
  ["mem/é", false],
  ["mem/a\n", false],
  ["core\n", false],
  [" core", false],
  ["", false],
  [undefined, false],
  [["core"], false],
])("%j is a slug: %s", (given, is) => {
  expect(isSlug(given)).toBe(is);
});
