import { expect, test } from "vitest";
import { nextTime } from "../../../../charter/src/schedules/next-time.ts";
import { cronTimes } from "./cron-times.ts";

const iso = (times: readonly number[] | undefined) => times?.map((time) => new Date(time).toISOString());

test("weekdays at eight by the clock of Berlin, over a weekend", () => {
  const from = Date.parse("2026-02-19T12:00:00Z");
  const times = cronTimes({ cron: "0 8 * * 1-5", zone: "Europe/Berlin", from, to: from + 7 * 86_400_000, max: 10 });
  expect(iso(times)).toEqual([
    "2026-02-20T07:00:00.000Z",
    "2026-02-23T07:00:00.000Z",
    "2026-02-24T07:00:00.000Z",
    "2026-02-25T07:00:00.000Z",
    "2026-02-26T07:00:00.000Z",
  ]);
});

test("no more than were asked for", () => {
  const times = cronTimes({ cron: "* * * * *", zone: "UTC", from: 0, to: 7 * 86_400_000, max: 3 });
  expect(times).toEqual([0, 60_000, 120_000]);
});

test("what is not read here is not guessed at", () => {
  expect(cronTimes({ cron: "0 9 L * *", zone: "UTC", from: 0, to: 1, max: 1 })).toBeUndefined();
  expect(cronTimes({ cron: "0 9 * * *", zone: "Nowhere/Land", from: 0, to: 1, max: 1 })).toBeUndefined();
});

const crons = [
  "30 7 * * *",
  "0 18 * * 0,3,5",
  "*/15 * * * *",
  "0 */6 * * *",
  "0 9 1,15 * *",
  "0 9 13 * 5",
  "15 30 7 * 6 *",
];
const zones = ["Europe/Berlin", "America/St_Johns", "Pacific/Auckland"];
for (const cron of crons)
  for (const zone of zones)
    test(`“${cron}” in ${zone} comes when the server says it does`, () => {
      const from = Date.parse("2026-05-30T00:00:00Z");
      const to = from + 20 * 86_400_000;
      const expected: string[] = [];
      let after = new Date(from - 1000).toISOString();
      while (expected.length < 12) {
        const next = nextTime({ cron, zone, after });
        if (next === null || Date.parse(next) > to) break;
        expected.push(next);
        after = next;
      }
      expect(iso(cronTimes({ cron, zone, from, to, max: 12 }))).toEqual(expected);
    });

test("across a change of the clocks the same hour of the day is meant", () => {
  const from = Date.parse("2026-03-28T00:00:00Z");
  const times = cronTimes({ cron: "30 7 * * *", zone: "Europe/Berlin", from, to: from + 3 * 86_400_000, max: 10 });
  expect(iso(times)).toEqual(["2026-03-28T06:30:00.000Z", "2026-03-29T05:30:00.000Z", "2026-03-30T05:30:00.000Z"]);
});
