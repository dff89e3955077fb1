import { expect, test } from "vitest";
import { textsOf } from "./core-conflicts.tsx";

const theirs = "ab".repeat(32);
const ours = {
  revision: 4,
  actor: "operator" as const,
  at: "2026-02-18T15:04:00.000Z",
  after: "I count plums.",
  event: { id: "cd".repeat(32), state: "superseded" as const, relay: null },
};
const adopted = {
  revision: 5,
  actor: "agent" as const,
  at: "2026-02-18T15:04:01.000Z",
  after: "I count pears.",
  event: { id: theirs, state: "elsewhere" as const, relay: "wss://one.example" },
};
const conflict = { revision: 4, by: theirs };

test("both texts are found by the revision that was written here and by the event that stands", () => {
  expect(textsOf(conflict, [adopted, ours], 5)).toEqual({
    here: { text: "I count plums.", revision: 4, at: ours.at, by: "by the operator", stands: false },
    elsewhere: { text: "I count pears.", revision: 5, at: adopted.at, by: "with the same key", stands: true },
  });
});

test("where one is not found, or its words were erased, that is said", () => {
  expect(textsOf(conflict, [ours], 5)).toBe("Both texts are in the history below.");
  expect(textsOf({ ...conflict, by: null }, [adopted, ours], 5)).toBe("Both texts are in the history below.");
  expect(textsOf(conflict, [adopted, { ...ours, after: null }], 5)).toBe("The text of one of them was erased.");
});
