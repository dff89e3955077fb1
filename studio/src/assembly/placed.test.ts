import { expect, test } from "vitest";
import type { Assembled } from "./assembled.ts";
import { placedSections, sharesOf } from "./placed.ts";

const section = (name: string, mutability: string, stability: string, tokens: number) => ({
  name,
  mutability,
  stability,
  tokens,
});
const sections = [
  section("soul", "amendable", "stable", 10),
  section("time", "live", "state", 5),
  section("rules", "fixed", "state", 20),
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

test("a layered receiver gets what moves at the end; fixed words never do", () => {
  expect(shown("layered")).toEqual([["soul"], ["rules"], ["tools", "cut"], ["time", "tail"]]);
});

test("one string is in the charter's own order, cached up to the first thing that moves", () => {
  expect(shown("one-string")).toEqual([["soul"], ["time", "tail"], ["rules", "tail"], ["tools", "tail", "cut"]]);
});

test("tokens by mutability", () => {
  expect(sharesOf(placedSections(prompt("layered")))).toEqual({ fixed: 20, amendable: 10, live: 12 });
});
