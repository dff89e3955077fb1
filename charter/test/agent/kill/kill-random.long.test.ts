import { expect, test } from "vitest";
import { newPlace } from "../../homes.ts";
import { killTurns } from "./kill-run.ts";

test("processes with turns of several users in flight, killed at random moments, lose and double nothing", async () => {
  const place = await newPlace("sqlite");
  const kills = 6;
  const { answered, interrupted, ...report } = await killTurns(place, { kills, users: 6 });
  await place.remove();
  expect(report).toEqual({ kills, calls: expect.any(Number), faults: [] });
  expect(answered).toBeGreaterThan(kills);
  expect(interrupted).toBeGreaterThan(0);
});
