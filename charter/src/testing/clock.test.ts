import { expect, test } from "vitest";
import { type ClockStep, testClock } from "./scripted-model.ts";

test("it stands still, until it is moved", () => {
  const clock = testClock("2026-02-18T09:00:00Z");
  const told = [clock().toISOString(), clock().toISOString()];
  clock.advance({ days: 1, hours: 2, minutes: 3, seconds: 4, milliseconds: 5 });
  told.push(clock().toISOString());
  clock.advance({ minutes: -3 });
  told.push(clock().toISOString());
  clock.set(new Date("2027-01-01T00:00:00+01:00"));
  told.push(clock().toISOString());
  expect(told).toEqual([
    "2026-02-18T09:00:00.000Z",
    "2026-02-18T09:00:00.000Z",
    "2026-02-19T11:03:04.005Z",
    "2026-02-19T11:00:04.005Z",
    "2026-12-31T23:00:00.000Z",
  ]);
});

test("what it gives is the caller's own: changing it does not move the clock", () => {
  const clock = testClock("2026-02-18");
  clock().setFullYear(1999);
  expect(clock()).toEqual(new Date("2026-02-18T00:00:00Z"));
});

test.each([{}, 5000, { minute: 5 }, { minutes: "soon" }])("it cannot be moved by %j", (by) => {
  expect(() => testClock("2026-02-18").advance(by as ClockStep)).toThrow(
    `A clock cannot be moved by ${JSON.stringify(by)}.`,
  );
});

test.each(["tomorrow", "2026-02-18T09:00:00", "2026-13-18"])("%s is no time that is the same everywhere", (time) => {
  expect(() => testClock(time)).toThrow(`“${time}” is no time.`);
});
