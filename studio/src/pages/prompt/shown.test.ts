import { expect, test } from "vitest";
import { shownOf } from "./shown.ts";

const session = { id: "s", channel: "web", startedAt: "2026-02-18T12:00:00.000Z", lastAt: "2026-02-18T12:00:00.000Z" };
const wanted = { agent: "ada", user: "bo" };

test("a conversation that goes on is shown as it goes out now, unless a new one is asked for", () => {
  expect(shownOf(undefined, wanted, { session }, false)).toBe("now");
  expect(shownOf("new", wanted, { session }, false)).toBe("new");
  expect(shownOf(undefined, wanted, { session: null }, false)).toBe("new");
});

test("a time, an edition and a limit are tried out on a new conversation", () => {
  for (const tried of [{ at: "2026-02-18T12:00:00Z" }, { edition: "compact" as const }, { tokens: 0 }])
    expect(shownOf(undefined, { ...wanted, ...tried }, { session }, false)).toBe("new");
});

test("nothing is shown before it is known which of the two it is; where that cannot be known, a new one", () => {
  expect(shownOf(undefined, wanted, undefined, false)).toBeUndefined();
  expect(shownOf(undefined, wanted, undefined, true)).toBe("new");
});
