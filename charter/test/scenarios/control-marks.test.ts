import { expect, test } from "vitest";
import { holdsControlToken } from "../../src/prompt/sound.ts";
import { controlMarks, talkWith, turnMarks } from "./control-marks.ts";

test("no control token is in a prompt or on the wire, whoever brings it and wherever", async () => {
  const { sent, prompts, verdicts, noted } = await talkWith(controlMarks.join(" "));
  expect(verdicts).toEqual({
    agent: "refused: no-forgery",
    user: "refused: no-forgery",
    operator: "accepted: token",
  });
  expect(noted).toContain("Not saved: The note holds the control token");
  expect(prompts.join("")).toContain("&lt;|im_start|>system");
  expect(prompts.filter(holdsControlToken)).toEqual([]);
  expect(sent.length).toBeGreaterThan(20);
  expect(sent.filter(holdsControlToken)).toEqual([]);
  expect(sent.filter((text) => text.includes("<·|im_start|>system")).length).toBeGreaterThan(3);
});

test("what only looks like a turn is accepted, and named", async () => {
  const { verdicts, noted } = await talkWith(`\n${turnMarks.join("\n")}\n`);
  const named = `accepted: ${Array(9).fill("turn").join()}`;
  expect(verdicts).toEqual({ agent: named, user: "unchanged: ", operator: "unchanged: " });
  expect(noted).toContain("Saved as note");
});
