import { expect, test } from "vitest";
import { assemble } from "./assemble.ts";
import type { Charter, GivesWayRule } from "./charter.ts";
import { type Part, present } from "./reading.ts";
import type { Section } from "./section.ts";

const compact = (section: Omit<Section, "name">, parts: Part[], givesWay: GivesWayRule[] = [], chars?: number) => {
  const charter: Charter = {
    name: "test",
    layers: [{ name: "live", mutability: "live", sections: [{ name: "list", trust: "own", sources: [], ...section }] }],
    givesWay,
  };
  const room = { edition: "compact", ...(chars === undefined ? {} : { chars }) } as const;
  const { text, cuts } = assemble(charter, { list: present(parts) }, room);
  return [text, ...cuts.map(({ form, kept, missing, unit }) => `${form}: ${missing} of ${kept + missing} ${unit}`)];
};
const rule = (parts: string, told: string): GivesWayRule => ({ section: "list", parts, from: "end", told });
const old = (text: string): Part => ({ text, kind: "old", edition: "full" });

test("short forms stand in for parts, an ellipsis is none of their characters, and one that is empty is left out", () => {
  const parts = [{ text: "one long part", short: "one…" }, { text: "two", short: "" }, { text: "three" }];
  expect(compact({ compact: "short" }, parts)).toEqual(["one…\nthree", "compact: 13 of 21 characters"]);
  expect(compact({}, parts)).toEqual(["one long part\ntwo\nthree"]);
});

test("parts of the full edition are left out by kind, each kind told once where its first part stood", () => {
  const parts = [
    { text: "a" },
    old("o1"),
    { text: "kept", kind: "old" },
    old("o2"),
    { text: "p", edition: "full" } as const,
  ];
  expect(compact({}, parts, [rule("other", "(other)"), rule("old", "({missing} old, {kept} kept)")])).toEqual([
    "a\n(2 old, 1 kept)\nkept\n(left out of the compact edition: 1)",
    "compact: 2 of 3 old",
    "compact: 1 of 2 part",
  ]);
});

test("what stands under a part that is left out goes with it, at any depth", () => {
  const parts: Part[] = [
    { text: "top", kind: "old", edition: "full", id: "top" },
    { text: "under", kind: "line", id: "under", parent: "top" },
    { text: "deep", kind: "line", parent: "under" },
    { text: "rest", kind: "line" },
  ];
  expect(compact({}, parts, [rule("old", "(cut)")])).toEqual(["(cut)\nrest", "compact: 1 of 1 old"]);
});

test("what gives way besides is told in the same line", () => {
  const parts = [
    old("o1"),
    { text: "a long old part", kind: "old" },
    { text: "another old part", kind: "old" },
    { text: "new" },
  ];
  const told = [rule("old", "({missing} old left out)")];
  expect(compact({}, parts, told)).toEqual([
    "(1 old left out)\na long old part\nanother old part\nnew",
    "compact: 1 of 3 old",
  ]);
  expect(compact({}, parts, told, 42)).toEqual([
    "a long old part\n(2 old left out)\nnew",
    "compact: 1 of 3 old",
    "shorter: 1 of 2 old",
  ]);
  expect(compact({}, parts.slice(0, 3), told, 20)).toEqual([
    "(3 old left out)",
    "compact: 1 of 3 old",
    "dropped: 2 of 2 old",
  ]);
});
