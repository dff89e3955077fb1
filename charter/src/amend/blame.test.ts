import { expect, test } from "vitest";
import { blame } from "./ledger.ts";

/** Every stretch with the words it is about, as [revision, words]. */
function told(original: string, ...texts: readonly string[]): [number, string][] {
  const amendments = texts.map((after, index) => ({ revision: index + 1, after }));
  const text = texts.at(-1) ?? original;
  return blame({ text: original, revision: 0 }, amendments).map(
    ({ start, end, revision }) => [revision, text.slice(start, end)] as [number, string],
  );
}

const rows: [what: string, texts: [string, ...string[]], expected: [number, string][]][] = [
  ["nothing was ever written", [""], []],
  ["nothing was changed", ["Be kind."], [[0, "Be kind."]]],
  ["the same was written again", ["Be kind.", "Be kind."], [[0, "Be kind."]]],
  ["the first words", ["", "Be kind."], [[1, "Be kind."]]],
  ["all words were taken away", ["Be kind.", ""], []],
  [
    "a line was added",
    ["Be kind.", "Be kind.\nBe brief."],
    [
      [0, "Be kind."],
      [1, "\nBe brief."],
    ],
  ],
  [
    "a line was put before",
    ["Be kind.", "Be brief.\nBe kind."],
    [
      [1, "Be brief.\n"],
      [0, "Be kind."],
    ],
  ],
  [
    "a word was changed, and its neighbours stay whose they were",
    ["Always answer in French, please.", "Always answer in Dutch, please."],
    [
      [0, "Always answer in "],
      [1, "Dutch"],
      [0, ", please."],
    ],
  ],
  [
    "a sentence was rewritten, and the spaces in it are of the same hand",
    ["Alpha beta gamma.\nStays.", "One two three.\nStays."],
    [
      [1, "One two three"],
      [0, ".\nStays."],
    ],
  ],
  [
    "three hands in one line",
    ["a b c", "a B c", "a B C"],
    [
      [0, "a "],
      [1, "B"],
      [0, " "],
      [2, "C"],
    ],
  ],
  [
    "a stretch something was taken out of is two, since its words never stood together",
    ["one two three", "one three"],
    [
      [0, "one "],
      [0, "three"],
    ],
  ],
  [
    "words that were taken back and written again are of whoever wrote them last",
    ["a\nb", "a", "a\nb"],
    [
      [0, "a"],
      [2, "\nb"],
    ],
  ],
  [
    "a character of a language without spaces",
    ["日本語を話す", "日本語を書く"],
    [
      [0, "日本語を"],
      [1, "書く"],
    ],
  ],
  [
    "a picture of several characters is never taken apart",
    ["See 👩‍👩‍👧 here", "See 👩‍👩‍👦 here"],
    [
      [0, "See "],
      [1, "👩‍👩‍👦"],
      [0, " here"],
    ],
  ],
  [
    "words of three hands that moved on together stay as they were told apart",
    ["a b", "a b c", "a b c d", "x a b c d"],
    [
      [3, "x "],
      [0, "a b"],
      [1, " c"],
      [2, " d"],
    ],
  ],
  [
    "a word in the middle of another's line, twice",
    ["one two three four", "one two x three four", "one two x three y four"],
    [
      [0, "one two "],
      [1, "x "],
      [0, "three "],
      [2, "y "],
      [0, "four"],
    ],
  ],
  ["what was put in and taken out again leaves one stretch", ["one two", "one x two", "one two"], [[0, "one two"]]],
  [
    "lines that changed places",
    ["one\ntwo\nthree\n", "three\none\ntwo\n"],
    [
      [1, "three\n"],
      [0, "one\ntwo\n"],
    ],
  ],
  [
    "signs between new words are of the same hand, those beside old ones are not",
    ["old, words - here", "new, signs - here"],
    [
      [1, "new, signs"],
      [0, " - here"],
    ],
  ],
  ["signs alone", ["...", "!!!"], [[1, "!!!"]]],
  [
    "more signs in a row than anyone writes, and one in their middle",
    [`a ${"-".repeat(1500)} b`, `a ${"-".repeat(700)}+${"-".repeat(800)} b`],
    [
      [0, `a ${"-".repeat(700)}`],
      [1, "+"],
      [0, `${"-".repeat(800)} b`],
    ],
  ],
];
for (const [what, [original, ...texts], expected] of rows)
  test(`whose words: ${what}`, () => expect(told(original, ...texts)).toEqual(expected));

test("a history that is cut begins with the words of its first known revision", () => {
  const known = blame({ text: "Be kind.", revision: 7 }, [{ revision: 8, after: "Be kind.\nBe brief." }]);
  expect(known).toEqual([
    { start: 0, end: 8, revision: 7 },
    { start: 8, end: 18, revision: 8 },
  ]);
});
