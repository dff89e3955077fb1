import { expect, test } from "vitest";
import { createAnswerText } from "./run-prompt.ts";

test("pieces are one text; a tool in between, or another message, starts a paragraph", () => {
  const answer = createAnswerText();
  const drafts = [answer.add(null, "Let me"), answer.add(null, " see.")];
  answer.pause();
  drafts.push(answer.add(null, "Done."), answer.add("m", "More"), answer.add("m", "."), answer.add("n", " Spaced."));
  expect(drafts).toEqual(["Let me", " see.", "\n\nDone.", "\n\nMore", ".", " Spaced."]);
  expect(answer.text()).toBe(drafts.join(""));
});

test("a message is as it was last put; the draft grows with it", () => {
  const answer = createAnswerText();
  const drafts = [answer.put("a", "One"), answer.put("b", ""), answer.put("b", "Two"), answer.put("b", "Two!")];
  expect(drafts).toEqual(["One", "", "\n\nTwo", "!"]);
  expect(answer.put("a", "Another")).toBe("");
  expect(answer.text()).toBe("Another\n\nTwo!");
});
