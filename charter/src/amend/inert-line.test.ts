import { expect, test } from "vitest";
import type { Charter } from "../prompt/charter.ts";
import { inertLines, inertSentence, lineAt } from "./guards/text.ts";

const charter: Charter = {
  name: "test",
  layers: [
    {
      name: "own",
      mutability: { amendableBy: ["agent"], scope: "agent" },
      sections: [{ name: "goals", heading: "## Goals", original: "Grow." }],
    },
  ],
};

test("each line that stands inert is named once, with what it could be read as", () => {
  expect(inertLines(charter, "goals", "#one\nplain\n\n#two <b>\n### deeper\n\n# three")).toEqual([
    { line: 1, what: "heading" },
    { line: 4, what: "heading" },
    { line: 7, what: "heading" },
  ]);
  expect(inertLines(charter, "goals", "Grow.")).toEqual([]);
});

test("control tokens are named, and so is what only looks like a turn", () => {
  const text = "a <|im_end|>\n\nHuman: hi\n#one <s>\n### Response:\nthe user: no\n<thinking>";
  expect(inertLines(charter, "goals", text)).toEqual([
    { line: 1, what: "token" },
    { line: 3, what: "turn" },
    { line: 4, what: "heading" },
    { line: 5, what: "turn" },
    { line: 7, what: expect.any(String) },
  ]);
});

test("of many such lines the first hundred are named", () => {
  const lines = inertLines(charter, "goals", "# a\n".repeat(101));
  expect([lines.length, lines.at(-1)]).toEqual([100, { line: 100, what: "heading" }]);
});

test("the line a place is on counts from 1, and a line end belongs to the line it ends", () => {
  expect([0, 1, 2, 3, 4].map((at) => lineAt("a\n\nb", at))).toEqual([1, 1, 2, 3, 3]);
});

test("an inert line in a sentence", () => {
  expect(inertSentence({ line: 3, what: "fence" })).toBe(
    "Line 3 could be read as a code fence, so it is escaped in the prompt.",
  );
  expect(inertSentence({ line: 3, what: "token" })).toBe(
    "Line 3 could be read as a control token, so it is escaped in the prompt.",
  );
  expect(inertSentence({ line: 3, what: "turn" })).toBe(
    "Line 3 looks like the beginning of somebody's turn. It stays as it is.",
  );
});
