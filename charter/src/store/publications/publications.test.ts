import { expect, test } from "vitest";
import { mergeSent } from "./publications.ts";

const full = { place: "b", reason: "there is no room left" };
const behind = { place: "b", reason: "it has an older one" };

test.each([
  [
    "why a place refused it is known to who sent it",
    { taken: ["a"], missed: [behind] },
    { taken: ["a"], missed: [full] },
    { taken: ["a"], missed: [full] },
  ],
  [
    "what one was not told of is kept",
    { taken: ["a"], missed: [behind] },
    { taken: [], missed: [] },
    { taken: ["a"], missed: [behind] },
  ],
  [
    "who took it later has it",
    { taken: ["a"], missed: [behind] },
    { taken: ["b"], missed: [] },
    { taken: ["a", "b"], missed: [] },
  ],
  [
    "who has it has it, though it answered one of them too late",
    { taken: ["b"], missed: [] },
    { taken: [], missed: [{ place: "b", reason: "it did not answer in time" }] },
    { taken: ["b"], missed: [] },
  ],
])("%s", (_, before, told, merged) => {
  expect(mergeSent(before, told)).toEqual(merged);
});
