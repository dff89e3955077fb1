import type { NextRequestAnswer } from "charter/answers";
import { expect, test } from "vitest";
import {
  type Block,
  blockOf,
  changedSince,
  cutBy,
  documentOf,
  goneSince,
  type HandStretch,
  inAddress,
  nextWord,
  type Part,
  piecesOf,
  rowAt,
  rowsOf,
  spanOfLine,
  stretchOf,
  within,
  wordAt,
  wordIn,
} from "./document.ts";

type Section = NextRequestAnswer["parts"][number]["sections"][number];

const section = (name: string, text: string, hand: Section["spans"][number]["hand"] = "operator"): Section => ({
  ...{ name, text, layer: "one", mutability: "amendable", stability: "stable", trust: "own" },
  ...{ source: "standing", revision: 1, tokens: 3 },
  spans: [{ length: text.length, hand, source: "standing", trust: "own", revision: 1 }],
});

const request = (soul: string, more: readonly Section[] = []): NextRequestAnswer => ({
  ...{ agent: "ada", user: "bo", channel: "web", session: null, sent: null, edition: "full", channels: [] },
  ...{ cuts: [], omitted: [], model: "test/one", window: null, cacheMin: null, prefixChange: null, input: 2 },
  request: {
    tools: [{ name: "note", description: "Notes.", input: {} }],
    system: [{ text: soul }],
    messages: [
      { role: "user", text: "Told: be brief." },
      { role: "tool", results: [{ call: "1", name: "fetch", output: "Bo wrote." }] },
      { role: "user", text: "" },
      { role: "user", text: "It is noon." },
    ],
  },
  parts: [
    { slot: "system", message: null, sections: [section("soul", soul), ...more] },
    { slot: "update", message: 0, sections: [section("rules", "Told: be brief.", "user")] },
    { slot: "state", message: 3, sections: [section("time", "It is noon.", "program")] },
  ],
  said: [
    { message: 1, kind: "results", turn: "t1", hands: ["stranger"], tokens: 4 },
    { message: 2, kind: "input", turn: null, hands: ["user"], tokens: 0 },
  ],
  amendments: [],
  tokens: { total: 20, tools: 5, prefix: 3, history: 9, state: 3, tokenizer: "words", exact: true },
  compactAt: null,
  predicted: null,
  billed: null,
  notices: [],
});

test("a request is one text in the order the model reads it, and every word of it has a hand", () => {
  const { text, blocks, spans } = documentOf(request("Be kind.\n\n"));
  expect(blocks.map(({ name, part, hand, start, end }) => [name, part, hand, text.slice(start, end)])).toEqual([
    ["#tools", "tools", "program", "note\nNotes.\n{}"],
    ["soul", "prefix", "operator", "Be kind.\n\n"],
    ["#0", "history", "user", "Told: be brief."],
    ["#1", "history", "stranger", "fetch\nBo wrote."],
    ["#2", "history", "user", ""],
    ["time", "state", "program", "It is noon."],
  ]);
  expect(spans.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
});

test("what changed since an earlier request is the words that are new, and the sections that are gone", () => {
  const now = documentOf(request("Be kind and brief."));
  const before = documentOf(request("Be kind.", [section("news", "It rains.")]));
  expect(changedSince(now, before).map(({ start, end }) => now.text.slice(start, end).trim())).toEqual(["and brief"]);
  expect(goneSince(now, before)).toEqual(["news"]);
  expect(changedSince(now, now)).toEqual([]);
});

test("what a smaller limit leaves out is told word by word, of sections that gave way alone", () => {
  const document = documentOf(request("First fact.\nSecond fact.", [section("news", "It rains.")]));
  const text = "Second fact.";
  const fitted = { text, sections: [{ name: "soul", start: 0, end: text.length }], cuts: [{ section: "soul" }] };
  const cutsOf = cutBy(document, { ...fitted, omitted: [{ name: "news", reason: "gave-way" }] });
  const cut = document.blocks.flatMap(cutsOf);
  expect(cut.map(({ start, end }) => document.text.slice(start, end).trim())).toEqual(["First fact.", "It rains."]);
  expect(document.blocks.flatMap(cutBy(document, { ...fitted, cuts: [], omitted: [] }))).toEqual([]);
});

test("what is told as an update is left out there, where it was told last, and not what the delivery put around it", () => {
  const opens = "<untrusted_text>\n";
  const mail = { ...section("mail", `${opens}Bo: Hi.\nCy: Ho.`, "stranger"), trust: "foreign" as const };
  const [written] = mail.spans;
  if (!written) throw new Error("a section has spans");
  const byDelivery = { ...written, length: opens.length, source: "delivery", trust: "own" as const };
  const spans = [byDelivery, { ...written, length: mail.text.length - opens.length }];
  const asked = request("Be kind.");
  const messages = [0, 1, 2].map(() => ({ role: "user" as const, text: "told" }));
  const clock = (now: string) => section("time", now, "program");
  const document = documentOf({
    ...{ ...asked, said: [], request: { ...asked.request, messages } },
    parts: [
      { slot: "update", message: 0, sections: [clock("It is one.")] },
      { slot: "foreign", message: 1, sections: [{ ...mail, spans }, section("news", "It rains.", "stranger")] },
      { slot: "update", message: 2, sections: [clock("It is two.")] },
    ],
  });
  expect(document.blocks.map(({ name }) => name)).toEqual(["#tools", "#0", "#1", "#1.1", "#2"]);
  expect(["time", "mail", "news", "#0", "soul"].map((name) => blockOf(document.blocks, name)?.name)).toEqual([
    ...["#2", "#1", "#1.1", "#0", undefined],
  ]);
  const text = "Cy: Ho.";
  const cutsOf = cutBy(document, {
    ...{ text, sections: [{ name: "mail", start: 0, end: text.length }], cuts: [{ section: "mail" }] },
    omitted: [{ name: "time", reason: "gave-way" }],
  });
  const cut = document.blocks.flatMap(cutsOf);
  expect(cut.map(({ start, end }) => document.text.slice(start, end).trim())).toEqual(["Bo: Hi.", "It is two."]);
});

const span = (start: number, end: number, source: string): HandStretch => ({
  ...{ start, end, source },
  hand: "charter",
  revision: null,
  trust: "own",
});

test("a row is cut where another wrote it and where something is marked, and keeps every mark", () => {
  const spans = [span(0, 10, "charter"), span(10, 40, "standing")];
  const marks = [
    { start: 8, end: 12, kind: "hit" as const },
    { start: 35, end: 50, kind: "hit" as const },
    { start: 35, end: 37, kind: "here" as const },
  ];
  const pieces = piecesOf({ start: 5, end: 40 }, spans, marks);
  expect(pieces.map(({ start, end, span: one, marks }) => [start, end, one?.source, marks])).toEqual([
    [5, 8, "charter", []],
    [8, 10, "charter", ["hit"]],
    [10, 12, "standing", ["hit"]],
    [12, 35, "standing", []],
    [35, 37, "standing", ["hit", "here"]],
    [37, 40, "standing", ["hit"]],
  ]);
});

test("a row nobody is known to have written is one piece", () => {
  expect(piecesOf({ start: 3, end: 9 }, [], [])).toEqual([{ start: 3, end: 9, span: undefined, marks: [] }]);
  expect(piecesOf({ start: 3, end: 3 }, [], [])).toEqual([]);
});

const block = (name: string, start: number, end: number, part: Part = "prefix"): Block => ({
  ...{ name, start, end, part },
  kind: "tools",
  names: [],
  tokens: 1,
  hand: "agent",
  gap: 0,
});

const shapes = (text: string, blocks: readonly Block[], folded?: ReadonlySet<string>) =>
  rowsOf(text, blocks, folded).map(({ start, end, opens, opensPart, closes }) => [
    text.slice(start, end),
    ...(opensPart ? ["part"] : []),
    ...(opens ? ["opens"] : []),
    ...(closes ? ["closes"] : []),
  ]);

test("each line is a row, without the line ends after its block", () => {
  const text = "# Soul\nKind.\n\nIt is noon.\n\nLate.";
  const blocks = [block("soul", 0, 14), block("time", 14, 27, "state"), block("late", 27, 32, "state")];
  expect(shapes(text, blocks)).toEqual([
    ["# Soul\n", "part", "opens"],
    ["Kind.", "closes"],
    ["It is noon.", "part", "opens", "closes"],
    ["Late.", "opens", "closes"],
  ]);
  expect(shapes(text, blocks, new Set(["soul"]))[0]).toEqual(["", "part", "opens", "closes"]);
});

test("a block without words has a row all the same", () => {
  expect(shapes("\n\n", [block("nothing", 0, 2)])).toEqual([["", "part", "opens", "closes"]]);
});

test("a line is of the hand that wrote most of it", () => {
  const span = (start: number, end: number, hand: HandStretch["hand"]): HandStretch => ({
    ...{ start, end, hand },
    ...{ source: "standing", trust: "own", revision: 1 },
  });
  const spans = [span(0, 4, "charter"), span(4, 20, "user"), span(20, 30, "agent"), span(30, 40, "user")];
  expect(within(spans, 10, 30)).toEqual([spans[1], spans[2]]);
  expect(spanOfLine(within(spans, 2, 19), { start: 2, end: 19 })?.hand).toBe("user");
  expect(within(spans, 40, 50)).toEqual([]);
});

test("a long section is cut at line ends, and loses nothing", () => {
  const text = Array.from({ length: 1_000 }, (_, at) => `line ${at}`).join("\n");
  const rows = rowsOf(text, [block("long", 0, text.length)]);
  expect(rows.length).toBe(1_000);
  expect(rows.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
  expect(rows.every(({ end }) => end === text.length || text[end - 1] === "\n")).toBe(true);
});

test("a million characters without a line end are cut between words, else anywhere but inside a character", () => {
  for (const text of ["word ".repeat(200_000), "x".repeat(1_000_000), "𒀀".repeat(500_000)]) {
    const rows = rowsOf(text, [block("long", 0, text.length)]);
    expect(rows.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
    expect(Math.max(...rows.map(({ start, end }) => end - start))).toBeLessThanOrEqual(2_000);
    expect(rows.every(({ start, end }) => text.slice(start, end).isWellFormed())).toBe(true);
  }
});

test("every place in the text is in a row, the line ends between sections too", () => {
  const text = "One.\n\nTwo.\n\nThree.";
  const rows = rowsOf(text, [block("one", 0, 6), block("three", 12, 18), block("two", 6, 12)]);
  expect([0, 5, 6, 11, 12, 17, 18].map((offset) => rowAt(rows, offset))).toEqual([0, 0, 2, 2, 1, 1, -1]);
});

const text = "Be kind. Never shout.";
const sections = [
  { name: "soul", start: 0, end: 9 },
  { name: "a:b", start: 9, end: 21 },
];

test("a word is named by its section and its place there, whatever the section is called", () => {
  expect(inAddress({ section: "a:b", from: 6 })).toBe("a:b:6");
  expect(wordIn("a:b:6", text, sections)).toEqual({ start: 15, end: 20 });
  expect(wordIn("soul:4", text, sections)).toEqual({ start: 3, end: 7 });
});

test.each(["soul", "soul:", "soul:x", "soul:-1", "soul:9", "soul:99999999999", "nobody:0", ":0", "soul:2"])(
  "an address that names no word opens nothing: %s",
  (named) => {
    expect(wordIn(named, text, sections)).toBeUndefined();
  },
);

test("a word is found again where its section moved to, and lost where other words stand there", () => {
  const word = { section: "soul", from: 3, words: "kind" };
  expect(stretchOf(word, "Hi. Be kind.", [{ name: "soul", start: 4, end: 12 }])).toEqual({ start: 7, end: 11 });
  expect(stretchOf(word, "Be rude.", [{ name: "soul", start: 0, end: 8 }])).toBeUndefined();
  expect(stretchOf(word, text, [])).toBeUndefined();
});

const wordText = "You're kind — and ñandú-like.\n𒀀𒀁 ok";
const words = (stretch: { start: number; end: number } | undefined) =>
  stretch && wordText.slice(stretch.start, stretch.end);

test("a place in a wordText is in a word, on a sign, or nowhere", () => {
  const rows: [offset: number, expected: string | undefined][] = [
    [0, "You're"],
    [5, "You're"],
    [6, undefined],
    [12, "—"],
    [20, "ñandú-like"],
    [29, undefined],
    [31, "𒀀𒀁"],
    [33, "𒀀𒀁"],
    [99, undefined],
  ];
  expect(rows.map(([offset]) => [offset, words(wordAt(wordText, offset))])).toEqual(rows);
});

test("a very long word is cut", () => {
  const long = "x".repeat(1_000_000);
  expect(wordAt(long, 500_000)).toEqual({ start: 499_920, end: 500_080 });
});

test("from word to word, over signs and line ends, and not over the bounds", () => {
  const all = { start: 0, end: wordText.length };
  const seen: (string | undefined)[] = [];
  for (let at = wordAt(wordText, 0); at; at = nextWord(wordText, at, 1, all)) seen.push(words(at));
  expect(seen).toEqual(["You're", "kind", "and", "ñandú-like", "𒀀𒀁", "ok"]);
  expect(words(nextWord(wordText, { start: 14, end: 17 }, -1, all))).toBe("kind");
  expect(nextWord(wordText, { start: 0, end: 6 }, 1, { start: 0, end: 7 })).toBeUndefined();
});
