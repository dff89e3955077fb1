import { unified } from "charter";
import { expect, test } from "vitest";
import { textsOf } from "./unified.ts";

test("a diff gives back the two texts it is of", () => {
  const [before, after] = ["a\nb\nc", "a\nB\nc\n--- d"];
  expect(textsOf(unified(before, after, "soul"))).toEqual({ before, after });
  expect(textsOf(unified("", "one", "soul"))).toEqual({ before: "", after: "one" });
  expect(textsOf(unified("one", "", "soul"))).toEqual({ before: "one", after: "" });
});

test("what it leaves out between two changes is a line of dots, and what was shortened says so", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `${index}`);
  const { before, after } = textsOf(
    unified(lines.join("\n"), ["first", ...lines.slice(1, -1), "last"].join("\n"), "soul"),
  );
  expect(before).toBe("0\n1\n2\n3\n⋯\n16\n17\n18\n19");
  expect(after).toBe("first\n1\n2\n3\n⋯\n16\n17\n18\nlast");
  expect(textsOf("--- a\n+++ a\n@@ -0,0 +1,9 @@\n+one\n(8 more lines)\n").after).toBe("one\n(8 more lines)");
});
