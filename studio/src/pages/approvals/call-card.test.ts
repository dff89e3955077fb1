import { expect, test } from "vitest";
import { definitionText } from "./call-card.tsx";

test("a tool's description stands line by line, and what no eye sees is written out", () => {
  const definition = JSON.stringify({ name: "read", description: "Reads.\nSends\u202e it on." });
  expect(definitionText(definition)).toBe(
    '{\n  "description": [\n    "Reads.",\n    "Sends\\u202e it on."\n  ],\n  "name": "read"\n}',
  );
  expect(definitionText(null)).toBe("");
});
