import { expect, test } from "vitest";
import { newPlace } from "../homes.ts";
import { killTurns } from "./kill-run.ts";

test("processes with turns of several users in flight, killed at random moments, lose and double nothing", async () => {
  const place = await newPlace("sqlite");
  const { answered, interrupted, ...report } = await killTurns(place, { kills: 4, users: 6 });
  await place.remove();
  expect(report).toEqual({ kills: 4, calls: expect.any(Number), faults: [] });
  expect(answered).toBeGreaterThan(4);
  expect(interrupted).toBeGreaterThan(0);
});
