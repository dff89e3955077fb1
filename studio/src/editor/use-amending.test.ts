import { expect, test } from "vitest";
import {
  afterSaving,
  type PublicationOutcome,
  publicationWords,
  standsAlready,
  typed,
  typingOf,
  withReason,
} from "./use-amending.ts";

const [one, other] = ["wss://one.example", "wss://other.example"];
const down = { place: other, reason: "it is full" };
const cases: readonly (readonly [outcome: Omit<PublicationOutcome, "id">, words: string])[] = [
  [{ state: "published", taken: [one], missed: [] }, "Published on its one relay."],
  [{ state: "published", taken: [one, other], missed: [] }, "Published on all 2 relays."],
  [{ state: "published", taken: [one], missed: [down] }, "Published on 1 of 2 relays."],
  [{ state: "published", taken: [], missed: [] }, "Published."],
  [{ state: "waiting", taken: [], missed: [down] }, "Not published yet: no relay took it. It is kept, and sent again."],
  [
    { state: "waiting", taken: [one], missed: [{ place: one, reason: "it does not show it" }] },
    "Not published yet: no relay shows it. It is kept, and sent again.",
  ],
  [{ state: "superseded", taken: [], missed: [] }, "Not published: a later change replaced it."],
  [
    { state: "superseded", taken: [one], missed: [], conflict: { ours: "a", theirs: "b", id: "1" } },
    "Something newer was written elsewhere at the same time. That is the current text.",
  ],
];

for (const [outcome, words] of cases) test(words, () => expect(publicationWords({ id: "00", ...outcome })).toBe(words));

const stands = { text: "Be kind.", revision: 3 };

test("words that stand already are nothing typed, whenever they were begun", () => {
  expect(typingOf(stands, undefined)).toBe("clean");
  expect(typingOf(stands, { text: "Be kind.", revision: 2 })).toBe("clean");
});

test("words begun at another revision than the one that stands are stale", () => {
  expect(typingOf(stands, { text: "Be brief.", revision: 3 })).toBe("typing");
  expect(typingOf(stands, { text: "Be brief.", revision: 2 })).toBe("stale");
});

test("typing begins at the revision that stands, and stays there while others save", () => {
  const begun = typed(stands, undefined, "Be kinder.");
  expect(begun).toEqual({ text: "Be kinder.", revision: 3 });
  const later = { text: "Be bold.", revision: 4 };
  expect(typed(later, begun, "Be kindest.")).toEqual({ text: "Be kindest.", revision: 3 });
});

test("typing back to what stands leaves nothing, unless a reason was given", () => {
  expect(typed(stands, { text: "Be kinder.", revision: 3 }, "Be kind.")).toBeUndefined();
  expect(typed(stands, { text: "Be kinder.", revision: 3, reason: "Bo asked." }, "Be kind.")).toEqual({
    text: "Be kind.",
    revision: 3,
    reason: "Bo asked.",
  });
});

test("a reason is kept with the words, and goes without them", () => {
  expect(withReason(stands, undefined, "Bo asked.")).toEqual({ text: "Be kind.", revision: 3, reason: "Bo asked." });
  expect(withReason(stands, { text: "Be kind.", revision: 3, reason: "B" }, "")).toBeUndefined();
});

test("what was typed while it was saved goes on from the new revision", () => {
  const saved = { text: "Be brief.", revision: 4 };
  expect(afterSaving({ text: "Be brief.", revision: 3 }, "Be brief.", saved)).toBeUndefined();
  expect(afterSaving({ text: "Be brief. Ask.", revision: 3, reason: "r" }, "Be brief.", saved)).toEqual({
    text: "Be brief. Ask.",
    revision: 4,
  });
});

test("an attempt whose answer was lost is recognised by its words", () => {
  expect(standsAlready({ text: "Be brief.", revision: 4 }, "Be brief.\n")).toBe(true);
  expect(standsAlready({ text: "Be bold.", revision: 4 }, "Be brief.")).toBe(false);
});
