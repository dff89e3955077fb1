import type { Cut } from "charter";
import { expect, test } from "vitest";
import { cutWords } from "./limit-panel.tsx";

test("what was trimmed of a section reads as a sentence after its name", () => {
  const rows: [cut: Omit<Cut, "section" | "because">, expected: string][] = [
    [{ form: "dropped", kept: 0, missing: 1, unit: "parts" }, "is left out"],
    [{ form: "dropped", kept: 0, missing: 12, unit: "fact" }, "is left out: all 12 facts"],
    [{ form: "shorter", kept: 28, missing: 12, unit: "fact" }, "lost 12 of 40 facts"],
    [{ form: "shortened", kept: 0, missing: 12, unit: "fact" }, "shortened 12 of 12 facts"],
    [{ form: "shorter", kept: 1, missing: 1, unit: "memory" }, "lost 1 of 2 memories"],
    [{ form: "shorter", kept: 3, missing: 2, unit: "parts" }, "lost 2 of 5 parts"],
    [{ form: "shorter", kept: 2000, missing: 500, unit: "characters" }, "shows its first 2,000 of 2,500 characters"],
    [{ form: "compact", kept: 400, missing: 500, unit: "characters" }, "uses its short form: 400 of 900 characters"],
    [{ form: "compact", kept: 0, missing: 3, unit: "tool" }, "lost 3 of 3 tools"],
  ];
  for (const [cut, expected] of rows) expect(cutWords({ section: "s", because: "", ...cut })).toBe(expected);
});
