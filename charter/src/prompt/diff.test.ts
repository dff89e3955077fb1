import { expect, test } from "vitest";
import { diff, unified } from "./diff.ts";

test("what stayed, went and came", () => {
  expect(diff("a\nb\nc\nd", "a\nx\nc\ny\nd")).toEqual([
    { kind: "same", lines: ["a"] },
    { kind: "removed", lines: ["b"] },
    { kind: "added", lines: ["x"] },
    { kind: "same", lines: ["c"] },
    { kind: "added", lines: ["y"] },
    { kind: "same", lines: ["d"] },
  ]);
  expect(diff("same\ntext", "same\ntext")).toEqual([{ kind: "same", lines: ["same", "text"] }]);
  expect(diff("", "new")).toEqual([{ kind: "added", lines: ["new"] }]);
  expect(diff("old", "")).toEqual([{ kind: "removed", lines: ["old"] }]);
});

test("the unified form shows three lines around a change, and nothing when nothing changed", () => {
  const before = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join("\n");
  expect(unified(before, before.replace("line 6", "changed"), "goals")).toBe(
    "--- goals (before)\n+++ goals (after)\n@@ -3,7 +3,7 @@\n line 3\n line 4\n line 5\n-line 6\n+changed\n line 7\n line 8\n line 9\n",
  );
  expect(unified("a", "a", "goals")).toBe("");
});

test("texts with nothing in common are shown as replaced, however long", () => {
  const lines = (word: string) => Array.from({ length: 5000 }, (_, index) => `${word} ${index}`).join("\n");
  expect(diff(lines("a"), lines("b")).map(({ kind, lines: { length } }) => [kind, length])).toEqual([
    ["removed", 5000],
    ["added", 5000],
  ]);
});
