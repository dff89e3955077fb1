import { expect, test } from "vitest";
import { authoredLines, authorshipOf } from "./authors.tsx";

const steps = [
  { revision: 2, before: "Be kind.\nAsk.", after: "Be very kind.\nAsk." },
  { revision: 1, before: "Be kind.", after: "Be kind.\nAsk." },
];

test("a changed word is its author's, the rest of the line stays whose it was", () => {
  expect(authoredLines(authorshipOf("Be very kind.\nAsk.", steps))).toEqual([
    {
      newest: 2,
      pieces: [
        { text: "Be ", revision: 0 },
        { text: "very ", revision: 2 },
        { text: "kind.", revision: 0 },
      ],
    },
    { newest: 1, pieces: [{ text: "Ask.", revision: 1 }] },
  ]);
});

test("nobody has changed it: every word is the original's", () => {
  expect(authorshipOf("Be kind.", [])).toEqual({
    text: "Be kind.",
    authored: [{ start: 0, end: 8, revision: 0 }],
    from: 0,
  });
  expect(authoredLines(authorshipOf("", []))).toEqual([{ pieces: [], newest: 0 }]);
});

test("where the history is cut, older words are the first known revision's", () => {
  const { from, authored } = authorshipOf("Be very kind.\nAsk.", steps.slice(0, 1));
  expect(from).toBe(1);
  expect(authored.map(({ revision }) => revision)).toEqual([1, 2, 1]);
});

test("behind erased words nothing is known", () => {
  const erased = [
    { revision: 3, before: "b", after: "b c" },
    { revision: 2, before: null, after: "b" },
    { revision: 1, before: null, after: null },
  ];
  expect(authorshipOf("b c", erased)).toEqual({
    text: "b c",
    authored: [
      { start: 0, end: 1, revision: 2 },
      { start: 1, end: 3, revision: 3 },
    ],
    from: 2,
  });
});

test("words that are not the newest revision's are nobody's guess", () => {
  expect(authorshipOf("Something else.", steps).authored).toEqual([{ start: 0, end: 15, revision: 2 }]);
});
