import type { SectionAnswer } from "charter/answers";
import { expect, test } from "vitest";
import { type ListRow, listRows, nextSection, tabStop } from "./section-list.tsx";

const section = (name: string, layer: string, text = ""): SectionAnswer => ({
  name,
  layer,
  owner: null,
  heading: null,
  mutability: "amendable",
  amendableBy: ["operator"],
  approvedBy: null,
  scope: "agent",
  original: "",
  text,
  rendered: null,
  revision: 0,
  updatedAt: null,
  updatedByTurn: null,
  digest: null,
  notices: [],
});

const sections = [
  section("safety", "base", "Never lie."),
  section("soul", "self"),
  section("goals", "self", "Help Bo."),
];
const said = (rows: readonly ListRow[]) =>
  rows.map((row) => (row.kind === "layer" ? `${row.name}: ${row.sections}` : row.section.name));

test("sections stand under their layers, in their order", () => {
  expect(said(listRows(sections, ""))).toEqual(["base: 1", "safety", "self: 2", "soul", "goals"]);
});

test("what is looked for may stand in a name, a layer or the words", () => {
  expect(said(listRows(sections, "GOAL"))).toEqual(["self: 1", "goals"]);
  expect(said(listRows(sections, "self "))).toEqual(["self: 2", "soul", "goals"]);
  expect(said(listRows(sections, "bo."))).toEqual(["self: 1", "goals"]);
  expect(said(listRows(sections, "nowhere"))).toEqual([]);
});

test("the arrows pass over layers and stop at the ends", () => {
  const rows = listRows(sections, "");
  const keys = ["ArrowDown", "ArrowUp", "Home", "End", "a"];
  expect(keys.map((key) => nextSection(rows, 1, key))).toEqual([3, 1, 1, 4, undefined]);
  expect(nextSection(rows, 4, "ArrowDown")).toBe(4);
});

test("Tab stops where one was, or at the first section that is drawn", () => {
  const rows = listRows(sections, "");
  expect(tabStop(rows, [0, 1, 2, 3], 3)).toBe(3);
  expect(tabStop(rows, [2, 3, 4], 1)).toBe(3);
  expect(tabStop(rows, [], 1)).toBeUndefined();
});
