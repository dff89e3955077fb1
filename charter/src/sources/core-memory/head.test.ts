import { expect, test } from "vitest";
import { isNewer, newestOf } from "./memory-key.ts";

const event = (created_at: number, id: string) => ({ created_at, id });

test.each([
  ["later", event(2, "b"), event(1, "a"), true],
  ["earlier", event(1, "a"), event(2, "b"), false],
  ["the same second, a lower id", event(1, "a"), event(1, "b"), true],
  ["the same second, a higher id", event(1, "b"), event(1, "a"), false],
  ["the same event", event(1, "a"), event(1, "a"), false],
])("%s", (_how, one, other, newer) => {
  expect(isNewer(one, other)).toBe(newer);
});

test("of many the newest stands, in whatever order they came; of the same event twice, the first", () => {
  const heads = [
    { event: event(1, "0"), relay: "a" },
    { event: event(3, "c"), relay: "a" },
    { event: event(3, "b"), relay: "a" },
    { event: event(3, "b"), relay: "b" },
    { event: event(2, "0"), relay: "b" },
  ];
  expect(newestOf(heads)).toEqual({ event: event(3, "b"), relay: "a" });
  expect(newestOf(heads.toReversed())).toEqual({ event: event(3, "b"), relay: "b" });
  expect(newestOf([])).toBe(undefined);
});
