import { describe, expect, test } from "vitest";
import { settingsOf } from "../../../src/store/import/import-notes.ts";
import { customizationText, mergeCustomizations, readable } from "../../../src/store/import/supabase.ts";

describe("JSON as people read it", () => {
  const rows: [what: string, value: unknown, text: string][] = [
    ["a text", "Be brief.\nBe kind.", "Be brief.\nBe kind."],
    ["a number", 0, "0"],
    ["a truth", false, "false"],
    ["nothing", null, ""],
    ["an empty object", {}, ""],
    [
      "fields",
      { tone: "warm", emoji: false, length: 0, until: null, note: "" },
      'tone: warm\nemoji: false\nlength: 0\nuntil: null\nnote: ""',
    ],
    ["a list", ["one", 2, null, false], "- one\n- 2\n- null\n- false"],
    ["a list in a field", { always: ["cite", "count"], never: [] }, "always:\n  - cite\n  - count\nnever: []"],
    [
      "a field in a field",
      { mail: { digest: { at: "08:00", days: ["Mon", "Tue"] }, sign: "B." } },
      "mail:\n  - digest:\n      - at: 08:00\n      - days:\n          - Mon\n          - Tue\n  - sign: B.",
    ],
    ["objects in a list", [{ a: 1, b: "x\ny" }, [1, [2]]], "- a: 1\n  b:\n    x\n    y\n- - 1\n  - - 2"],
    ["several lines in a field", { poem: "one\n\ntwo" }, "poem:\n  one\n\n  two"],
  ];
  for (const [what, value, text] of rows) test(what, () => expect(readable(value)).toBe(text));

  test("what the old migration wrote as JSON text is read as what it was; other texts stay", () => {
    expect(customizationText({ instructions: '{"tone": "warm"}' })).toBe("tone: warm");
    expect(customizationText({ instructions: '"Be brief."' })).toBe("Be brief.");
    expect(customizationText({ instructions: "42" })).toBe("42");
    expect(customizationText({ instructions: "Be {brief}." })).toBe("Be {brief}.");
    expect(customizationText({ instructions: " ", content: { a: 1 } })).toBe("a: 1");
    expect(customizationText({ instructions: "newer", content: "older" })).toBe("newer");
  });
});

test("rows merge by priority, then age, then type; those switched off are told apart", () => {
  const row = (priority: number | null, created_at: string | null, customization_type: string, is_active = true) => ({
    row: { priority, created_at, customization_type, is_active, content: customization_type },
    raw: customization_type,
  });
  const { text, rows, inactive } = mergeCustomizations([
    row(null, null, "last"),
    row(1, "2026-01-02T00:00:00+00:00", "young"),
    row(9, "2026-01-01T00:00:00+00:00", "off", false),
    row(1, "2026-01-01T00:00:00.5+00:00", "z-old"),
    row(1, "2026-01-01T00:00:00.5+00:00", "a-old"),
    row(5, "2026-01-03T00:00:00+00:00", "first"),
  ]);
  expect(text).toBe("first\n\na-old\n\nz-old\n\nyoung\n\nlast");
  expect(rows.map(({ raw }) => raw)).toEqual(["first", "a-old", "z-old", "young", "last"]);
  expect(inactive.map(({ raw }) => raw)).toEqual(["off"]);
});

test("an agent's settings hold its soul and identity, and every other column", () => {
  const of = (row: Record<string, unknown>) => ({ row, raw: JSON.stringify(row) });
  const identity = { name: "Ada", mood: "blue", vibe: null };
  const old = { agent_name: "ada", is_active: false, system_prompt: "Old.", updated_at: "2026-05-01" };
  const now = {
    agent_name: "ada",
    system_prompt: "Be kind.",
    soul: " ",
    identity,
    llm_config: { model: "x", top: 0 },
    id: 7,
  };
  const target = { charter: "assistant", soulLevel: 2 };
  const { settings: made, ...about } = settingsOf([of(old), of(now)], target);
  expect(about).toEqual({ lowered: 0, active: true });
  expect(made).toEqual({
    original: { soul: "Be kind.", identity: { name: "Ada" } },
    imported: {
      from: "supabase",
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      made: expect.stringMatching(/^[0-9a-f]{64}$/),
      columns: { llm_config: { model: "x", top: 0 }, id: 7, identity },
      others: [old],
    },
  });
  expect(settingsOf([of({ agent_name: "bare", soul: null })], target).settings.original).toEqual({});
  expect(settingsOf([of({ ...old, system_prompt: "# Old\nWise." })], target)).toMatchObject({
    settings: { original: { soul: "### Old\nWise." } },
    lowered: 1,
    active: false,
  });
});
