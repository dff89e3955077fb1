import { expect, test } from "vitest";
import { lineText } from "./layout.ts";

test("the line says where the cached prefix ends, or why nothing is cached", () => {
  expect(lineText(1204, { min: 1024 })).toBe("cached prefix ends · 1,204 tokens");
  expect(lineText(1, { min: undefined })).toBe("cached prefix ends · 1 token");
  expect(lineText(900, { min: 1024 })).toBe("prefix ends · 900 tokens · too short to be cached (1,024 needed)");
  expect(lineText(900, { min: null })).toBe("prefix ends · 900 tokens · not cached by this model");
  expect(lineText(900, { min: 1024, unused: true })).toBe("prefix ends · 900 tokens · not cached");
});

test("the tools before the prompt count: a short prompt behind many tools is cached", () => {
  expect(lineText(263, { min: 1024, tools: 1100 })).toBe("cached prefix ends · 263 tokens after 1,100 of tools");
  expect(lineText(263, { min: 1024, tools: 761 })).toBe("cached prefix ends · 263 tokens after 761 of tools");
  expect(lineText(263, { min: 1024, tools: 760 })).toBe(
    "prefix ends · 263 tokens after 760 of tools · too short to be cached (1,024 needed)",
  );
});

test("of a request that was not counted nothing is said about the cache", () => {
  expect(lineText(1641, { min: undefined, unknown: true })).toBe("prefix ends · 1,641 tokens");
});
