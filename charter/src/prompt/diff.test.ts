import { expect, test } from "vitest";
import { diff, differences, unified } from "./diff.ts";

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

const rows: [what: string, before: string, after: string, text: string][] = [
  ["the first words", "", "a\nb", "@@ -0,0 +1,2 @@\n+a\n+b\n"],
  ["all words taken away", "a\nb", "", "@@ -1,2 +0,0 @@\n-a\n-b\n"],
  [
    "two changes far apart",
    "1\n2\n3\n4\n5\n6\n7\n8\n9",
    "one\n2\n3\n4\n5\n6\n7\n8\nnine\n10",
    "@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n@@ -6,4 +6,5 @@\n 6\n 7\n 8\n-9\n+nine\n+10\n",
  ],
  [
    "a line that came shifts those below it",
    "1\n2\n3\n4\n5\n6\n7\n8\n9",
    "0\n1\n2\n3\n4\n5\n6\n7\n8",
    "@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -6,4 +7,3 @@\n 6\n 7\n 8\n-9\n",
  ],
];
for (const [what, before, after, text] of rows)
  test(`unified, ${what}`, () => expect(unified(before, after, "x")).toBe(`--- x (before)\n+++ x (after)\n${text}`));

test("the fewest lines come and go, and what is at both ends is left as it is", () => {
  const changes = (before: string, after: string) =>
    diff([...before].join("\n"), [...after].join("\n")).map(({ kind, lines }) => `${kind[0]} ${lines.join("")}`);
  expect(changes("abcabba", "cbabac")).toEqual(["r ab", "s c", "a b", "s ab", "r b", "s a", "a c"]);
  expect(changes("xay", "xby")).toEqual(["s x", "r a", "a b", "s y"]);
  expect(changes("aa", "aaa")).toEqual(["s aa", "a a"]);
  expect(changes("ab", "ba")).toEqual(["r a", "s b", "a a"]);
});

test("where it would take too long, the middle is shown as replaced", () => {
  const [a, b] = [[..."xabcdy"], [..."xcdefy"]];
  const kinds = (edits: number, steps: number) =>
    differences(a, b, { edits, steps }).map(({ kind, lines }) => `${kind[0]} ${lines.join("")}`);
  const fine = ["s x", "r ab", "s cd", "a ef", "s y"];
  const coarse = ["s x", "r abcd", "a cdef", "s y"];
  expect([kinds(4, 100), kinds(3, 100), kinds(4, 1)]).toEqual([fine, coarse, coarse]);
});

test("texts with nothing in common are shown as replaced, however long", () => {
  const lines = (word: string) => Array.from({ length: 5000 }, (_, index) => `${word} ${index}`).join("\n");
  expect(diff(lines("a"), lines("b")).map(({ kind, lines: { length } }) => [kind, length])).toEqual([
    ["removed", 5000],
    ["added", 5000],
  ]);
});
