import { expect, test } from "vitest";
import { glimpse, shown } from "./recorded.ts";

test("what a tool was given, whole and at a glance", () => {
  expect(shown({ to: "ida", times: 2 })).toBe('{\n  "to": "ida",\n  "times": 2\n}');
  expect(shown("as it is")).toBe("as it is");
  expect(shown(undefined)).toBe("");
  const rows: [unknown, string][] = [
    [{ to: "ida", times: 2 }, "ida · 2"],
    [{}, ""],
    [{ deep: { er: 1 } }, '{"deep":{"er":1}}'],
    ["two\n\nlines", "two lines"],
    [null, "null"],
    ["👍".repeat(100), `${"👍".repeat(79)}…`],
  ];
  expect(rows.map(([value]) => glimpse(value))).toEqual(rows.map(([, words]) => words));
});
