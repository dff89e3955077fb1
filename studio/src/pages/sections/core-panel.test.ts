import { expect, test } from "vitest";
import { relaysThat, relayTone, relayWords } from "./core-panel.tsx";

test("a relay is said to have it, to be behind by so much, or why nobody knows", () => {
  const said = (
    [
      ["newest", 0],
      ["behind", 0],
      ["behind", 1],
      ["behind", 7_300],
      ["nothing", null],
      ["late", null],
    ] as const
  ).map(([status, lagSeconds]) => `${relayWords({ status, lagSeconds })}: ${relayTone({ status })}`);
  expect(said).toEqual([
    "has it: good",
    "has an older one, of the same second: wait",
    "has an older one, 1 second behind: wait",
    "has an older one, 2 hours behind: wait",
    "has none: plain",
    "did not answer in time: bad",
  ]);
});

test("while something waits, what a relay has is not what is in the prompt", () => {
  const newest = { status: "newest", lagSeconds: 0 } as const;
  expect([relayWords(newest, true), relayTone(newest, true)]).toEqual([
    "has the newest one that is published",
    "plain",
  ]);
});

test("how many of the relays have it", () => {
  expect([relaysThat(1, 1), relaysThat(2, 2), relaysThat(1, 2), relaysThat(3, 3), relaysThat(0, 2)]).toEqual([
    "its one relay",
    "both its relays",
    "1 of its 2 relays",
    "all 3 of its relays",
    "none of its 2 relays",
  ]);
});
