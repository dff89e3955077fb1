import { expect, test } from "vitest";
import { opening } from "./opening.ts";

test("the first words of a text are one line of it", () => {
  expect(opening("  Dear\n\n  Ida,\tcome.  ")).toBe("Dear Ida, come.");
  expect(opening("")).toBe("");
});

test("what is long is cut where a character ends, and says so", () => {
  expect(opening("x".repeat(300))).toBe("x".repeat(300));
  expect(opening("🌱".repeat(400))).toBe(`${"🌱".repeat(300)}…`);
});
