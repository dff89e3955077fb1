import { expect, test } from "vitest";
import { times } from "../../test/tiers/search.ts";
import { type AuthoredSpan, blame } from "./ledger.ts";

/** A million characters and lines in proportion; fewer in a slice of the search. */
const million = times(1_000_000);

function covered(all: readonly AuthoredSpan[], length: number): boolean {
  let end = 0;
  for (const one of all) {
    if (one.start !== end || one.end <= one.start) return false;
    end = one.end;
  }
  return end === length;
}

const huge: [what: string, before: string, after: string][] = [
  ["nothing in common, word by word", "a ".repeat(million / 2), "b ".repeat(million / 2)],
  ["one line without a space", "x".repeat(million), `${"x".repeat(million / 2)}y${"x".repeat(million / 2)}`],
  ["line ends alone", "\n".repeat(million), "\n\r".repeat(million / 2)],
  [
    "lines that are almost the same everywhere",
    Array.from({ length: million / 20 }, (_, at) => (at % 301 === 7 ? `x${at}` : at % 2 ? "a word" : "b word")).join(
      "\n",
    ),
    Array.from({ length: million / 20 }, (_, at) => (at % 303 === 7 ? `y${at}` : at % 2 ? "a word" : "b word")).join(
      "\n",
    ),
  ],
  [
    "numbers that all moved on",
    Array.from({ length: million / 10 }, (_, at) => `${at} figs`).join(", "),
    Array.from({ length: million / 10 }, (_, at) => `${at + 1} figs`).join("; "),
  ],
];
for (const [what, before, after] of huge)
  test(`a megabyte is gone through, there and back: ${what}`, () => {
    const amendments = [after, before].map((text, index) => ({ revision: index + 1, after: text }));
    expect(covered(blame({ text: before, revision: 0 }, amendments), before.length)).toBe(true);
  });

test("one word changed in a megabyte on one line is one word", () => {
  const before = "figs and dates ".repeat(million / 10);
  const middle = before.length / 2;
  const after = `${before.slice(0, middle)}NEW ${before.slice(middle)}`;
  expect(blame({ text: before, revision: 0 }, [{ revision: 1, after }])).toEqual([
    { start: 0, end: middle, revision: 0 },
    { start: middle, end: middle + 4, revision: 1 },
    { start: middle + 4, end: after.length, revision: 0 },
  ]);
});
