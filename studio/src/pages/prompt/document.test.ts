import type { NextRequestAnswer } from "charter/answers";
import { expect, test } from "vitest";
import { changedSince, cutBy, documentOf, goneSince } from "./document.ts";

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
  const cut = cutBy(document, { ...fitted, omitted: [{ name: "news", reason: "gave-way" }] });
  expect(cut.map(({ start, end }) => document.text.slice(start, end).trim())).toEqual(["First fact.", "It rains."]);
  expect(cutBy(document, { ...fitted, cuts: [], omitted: [] })).toEqual([]);
});
