import { expect, test } from "vitest";
import { instant, localTime, stepFor, wantedOf } from "./controls.tsx";

const asked = (query: string) => {
  const params = new URLSearchParams(query);
  return wantedOf("ada", (key) => params.get(key) ?? undefined);
};

test("an address asks for a user, a channel, a time, an edition and a limit", () => {
  expect(asked("user=bo&channel=web&at=2026-02-18T12:00:00Z&edition=compact&tokens=900&other=1")).toEqual({
    agent: "ada",
    user: "bo",
    channel: "web",
    at: "2026-02-18T12:00:00Z",
    edition: "compact",
    tokens: 900,
  });
});

test("what means nothing is not asked", () => {
  const nothing = { agent: "ada" };
  for (const query of ["", "edition=short", "tokens=many", "tokens=-3", "tokens=1e9", "tokens=12345678901"])
    expect(asked(query)).toEqual(nothing);
});

test("a time goes into its field and comes back", () => {
  const at = "2026-02-18T12:30:00.000Z";
  expect(instant(localTime(at))).toBe(at);
  expect([localTime(undefined), localTime("soon"), instant(""), instant("soon")]).toEqual([
    "",
    "",
    undefined,
    undefined,
  ]);
});

test("one step is some two-hundredth of the way", () => {
  expect([stepFor(900, 950), stepFor(953, 2_000), stepFor(0, 100_000), stepFor(0, 9e8)]).toEqual([1, 5, 500, 1_000]);
});
