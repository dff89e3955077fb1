import { expect, test } from "vitest";
import { cutText, leftOut } from "./plain-text.ts";

test.each([
  [{ kept: 2, missing: 1, unit: "fact" }, "2 facts kept, 1 missing"],
  [{ kept: 1, missing: 20, unit: "fact" }, "1 fact kept, 20 missing"],
  [{ kept: 0, missing: 1, unit: "parts" }, "0 parts kept, 1 missing"],
  [{ kept: 1, missing: 2, unit: "memory" }, "1 memory kept, 2 missing"],
  [{ kept: 3, missing: 2, unit: "memory" }, "3 memories kept, 2 missing"],
  [{ kept: 2000, missing: 1008, unit: "characters" }, "2,000 characters kept, 1,008 missing"],
])("what is kept and missing is counted: %j", (cut, words) => {
  expect(cutText(cut)).toBe(words);
});

test("a section that was trimmed away is a cut, and not listed as left out again", () => {
  expect(
    leftOut([
      { name: "identity", reason: "empty" },
      { name: "instructions", reason: "gave-way" },
      { name: "inbox", reason: "unavailable" },
      { name: "tools", reason: "not-in-edition" },
    ]),
  ).toEqual(["identity: empty", "inbox: could not be read", "tools: not in this edition"]);
});
