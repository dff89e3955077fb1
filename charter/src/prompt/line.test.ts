import { expect, test } from "vitest";
import { lineCuts, lineKey } from "./character.ts";

test("a text's lines, by every idea of a line end, and those on which all readers agree", () => {
  expect(lineCuts("a\nbc\r\n\u2028d\n")).toEqual({
    starts: [0, 2, 6, 7, 9],
    ends: [1, 4, 6, 8, 9],
    plain: [true, true, false, false, true],
  });
  expect(lineCuts("")).toEqual({ starts: [0], ends: [0], plain: [true] });
});

test("a line as it is compared: any case, any width, no white space, its first thousand characters", () => {
  expect(lineKey(" ** Ｓafety\u200b \u00a0** ")).toBe("**safety**");
  expect(lineKey("x".repeat(1001))).toBe("x".repeat(1000));
});
