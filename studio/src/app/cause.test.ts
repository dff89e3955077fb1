import { expect, test } from "vitest";
import { causeWords } from "./cause.tsx";

test("the cause of a change names who asked, and says when others may have had a say", () => {
  const bo = { scope: { agent: "ada", user: "bo" }, channel: "web", tainted: false };
  expect([
    causeWords(bo),
    causeWords({ ...bo, tainted: true }),
    causeWords({ ...bo, channel: "scheduled" }),
    causeWords({ ...bo, scope: { agent: "ada" }, channel: null }),
  ]).toEqual([
    "bo said:",
    "bo said, in a turn that also read untrusted text:",
    "A schedule asked:",
    "The turn was asked:",
  ]);
});
