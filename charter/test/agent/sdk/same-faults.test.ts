import { test } from "vitest";
import { complaint, speak } from "../../../src/testing/strict/speech.ts";
import { expectSame, type Story } from "./sdk-story.ts";

const stories: Readonly<Record<string, Story>> = {
  "a busy provider, an empty answer, one that refuses": {
    lines: [
      { reply: { status: 529, body: complaint("anthropic", "Overloaded.") } },
      { text: ["There."] },
      { text: [] },
      { text: ["There again."] },
      { reply: { status: 400, body: complaint("anthropic", "Not so.") } },
      { text: ["At last."] },
    ],
    turns: ["First.", "Second.", "Third.", "Fourth."],
  },
  "two empty answers, and reasoning that is refused": {
    lines: [
      { thought: "Hm.", text: ["There."] },
      { text: [] },
      { text: [] },
      {
        reply: {
          status: 400,
          body: complaint("anthropic", "Invalid `signature`. The block is bound to a different conversation."),
        },
      },
      { text: ["Here."] },
    ],
    turns: ["First.", "Second.", "Third."],
  },
  "an answer that breaks off after its first words": {
    lines: [
      { reply: { body: speak("anthropic", { text: ["Once", "upon"] }).slice(0, 3), ends: "cut" } },
      { text: ["A time."] },
      { text: ["There."] },
    ],
    turns: ["First.", "Second."],
    loops: ["streamText"],
  },
  "a history that is summed up, by a model that is busy and then calls a tool instead": {
    lines: [
      ...["word ", "more ", "words "].map((word) => ({ text: [`${word.repeat(300)}.`] })),
      { reply: { status: 529, body: complaint("anthropic", "Overloaded.") } },
      { calls: [{ id: "1", name: "add", input: "{}" }] },
      { text: ["What was said: a great deal."] },
      { text: ["Short."] },
      { text: ["Shorter."] },
    ],
    window: 2500,
    turns: [1, 2, 3, 4, 5].map((n) => `${"please ".repeat(60)}${n}`),
  },
};

test.for(Object.keys(stories))("%s: streamText and generateText send what createAgent sends", async (name) => {
  await expectSame(stories[name] as Story);
});
