import { expect, test } from "vitest";
import { askModes, askReason } from "./ask-reason.ts";

const asked = (sensitive: boolean, tainted: boolean) =>
  askModes.map((ask) => askReason(sensitive ? { sensitive } : {}, { tainted, ask }) ?? "runs");

test("no mode lifts what untrusted text holds; without it, the mode says what is asked about", () => {
  expect({
    "acts outside, untrusted text": asked(true, true),
    "acts outside": asked(true, false),
    "reads, untrusted text": asked(false, true),
    reads: asked(false, false),
  }).toEqual({
    "acts outside, untrusted text": ["untrusted", "untrusted", "untrusted"],
    "acts outside": ["runs", "writes", "always"],
    "reads, untrusted text": ["runs", "runs", "always"],
    reads: ["runs", "runs", "always"],
  });
});
