import { expect, test } from "vitest";
import { liveIn } from "./one-section.tsx";

const prompt = {
  text: "Be kind.\n\nNoon.",
  sections: [
    { name: "soul", start: 0, end: 8, tokens: 3, source: "original" },
    { name: "clock", start: 10, end: 15, tokens: 2, source: "clock" },
  ],
  omitted: [{ name: "inbox", reason: "unavailable" } as const],
};

test("a live section is the words and sources of its own spans", () => {
  expect(liveIn(prompt, "clock")).toEqual({ text: "Noon.", tokens: 2, sources: ["clock"], missing: undefined });
});

test("one that is left out says why, and never that it is empty when nobody could look", () => {
  expect(liveIn(prompt, "inbox").missing).toBe("It could not be read.");
  expect(liveIn(prompt, "nowhere").missing).toBe("It would not be in the next prompt.");
});
