import type { Cut } from "charter";
import { expect, test } from "vitest";
import { finalCuts } from "./final-cuts.ts";

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
