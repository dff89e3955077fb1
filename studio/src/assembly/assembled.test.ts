import type { Cut } from "charter";
import { expect, test } from "vitest";
import { type Assembled, finalCuts, placedSections } from "./assembled.ts";

const section = (name: string, mutability: string, stability: string, tokens: number, trust = "own") => ({
  name,
  mutability,
  stability,
  tokens,
  trust,
});
const sections = [
  section("soul", "amendable", "stable", 10),
  section("time", "live", "state", 5),
  section("rules", "fixed", "state", 20),
  section("mail", "live", "stable", 9, "foreign"),
  section("tools", "live", "stable", 7),
];
const prompt = (slots: "layered" | "one-string") =>
  ({ sections, cuts: [{ section: "tools" }], about: { receiver: { slots } } }) as unknown as Assembled;
const shown = (slots: "layered" | "one-string") =>
  placedSections(prompt(slots)).map(({ name, tail, cut }) => [
    name,
    ...(tail ? ["tail"] : []),
    ...(cut ? ["cut"] : []),
  ]);

test("a layered receiver gets what moves, and strangers' words, at the end; fixed words never are there", () => {
  expect(shown("layered")).toEqual([["soul"], ["rules"], ["tools", "cut"], ["time", "tail"], ["mail", "tail"]]);
});

test("one string is in the charter's own order, cached up to the first thing that moves, without strangers' words", () => {
  expect(shown("one-string")).toEqual([
    ["soul"],
    ["time", "tail"],
    ["rules", "tail"],
    ["tools", "tail", "cut"],
    ["mail", "tail"],
  ]);
});

const cut = (section: string, form: Cut["form"], kept: number): Cut => ({
  ...{ section, form, kept, missing: 1, unit: "parts", because: "The prompt may have 900 tokens." },
});

test("a section that was left out in the end is told once, whatever was trimmed of it before", () => {
  const [first, second, soul, tools] = [
    cut("instructions", "shorter", 2000),
    cut("instructions", "dropped", 0),
    cut("soul", "shorter", 400),
    cut("tools", "compact", 3),
  ];
  expect(finalCuts([first, second, soul])).toEqual([second, soul]);
  expect(finalCuts([soul, tools])).toEqual([soul, tools]);
  expect(finalCuts([tools, soul, cut("soul", "shorter", 100)])).toHaveLength(3);
});
