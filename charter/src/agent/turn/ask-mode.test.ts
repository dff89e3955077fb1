import { expect, test } from "vitest";
import { askModes, askReason } from "./ask-reason.ts";

const asked = (said: Parameters<typeof askReason>[0], tainted: boolean) =>
  askModes.map((ask) => askReason(said, { tainted, ask }) ?? "runs");

test("no mode lifts what untrusted text holds; without it, the mode says what is asked about", () => {
  expect({
    "says nothing, untrusted text": asked({}, true),
    "says nothing": asked({}, false),
    "reads, untrusted text": asked({ reads: true }, true),
    reads: asked({ reads: true }, false),
    "harmless, untrusted text": asked({ harmless: true }, true),
    harmless: asked({ harmless: true }, false),
  }).toEqual({
    "says nothing, untrusted text": ["untrusted", "untrusted", "untrusted"],
    "says nothing": ["runs", "writes", "always"],
    "reads, untrusted text": ["runs", "runs", "always"],
    reads: ["runs", "runs", "always"],
    "harmless, untrusted text": ["runs", "runs", "always"],
    harmless: ["runs", "runs", "always"],
  });
});
