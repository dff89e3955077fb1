import { expect, test } from "vitest";
import { lineText } from "./line.ts";

test("the line says where the cached prefix ends, or why nothing is cached", () => {
  expect(lineText(1204, 1024)).toBe("cached prefix ends · 1,204 tokens");
  expect(lineText(1, undefined)).toBe("cached prefix ends · 1 token");
  expect(lineText(900, 1024)).toBe("too short to be cached (1,024 needed)");
  expect(lineText(900, null)).toBe("prefix ends · 900 tokens · nothing is cached here");
});
