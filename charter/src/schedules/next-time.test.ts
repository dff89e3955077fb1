import { expect, test } from "vitest";
import { newestTimes, nextTime } from "./schedule.ts";

/** The next times of a cron line, in UTC to the minute. */
function times(cron: string, zone: string, after: string, count: number): string[] {
  const found: string[] = [];
  for (let at: string | null = after; found.length < count; ) {
    at = nextTime({ cron, zone, after: at });
    if (at === null) break;
    found.push(at.replace(":00.000Z", "Z"));
  }
  return found;
}

const rows: [what: string, cron: string, zone: string, after: string, expected: string[]][] = [
  [
    "every morning at eight, whatever the season",
    "0 8 * * *",
    "Europe/Berlin",
    "2026-03-28T00:00Z",
    ["2026-03-28T07:00Z", "2026-03-29T06:00Z", "2026-03-30T06:00Z"],
  ],
  [
    "a time the spring leaves out comes once, as soon as the clocks are on",
    "30 2 * * *",
    "Europe/Berlin",
    "2026-03-28T00:00Z",
    ["2026-03-28T01:30Z", "2026-03-29T01:00Z", "2026-03-30T00:30Z"],
  ],
  [
    "the same in another country, on another day",
    "30 2 * * *",
    "America/New_York",
    "2026-03-07T12:00Z",
    ["2026-03-08T07:00Z", "2026-03-09T06:30Z"],
  ],
  [
    "a time the autumn has twice comes the first time only",
    "30 1 * * *",
    "America/New_York",
    "2026-10-31T12:00Z",
    ["2026-11-01T05:30Z", "2026-11-02T06:30Z"],
  ],
  [
    "every half hour, the hour the autumn has twice has four",
    "*/30 * * * *",
    "Europe/Berlin",
    "2026-10-24T23:45Z",
    ["2026-10-25T00:00Z", "2026-10-25T00:30Z", "2026-10-25T01:00Z", "2026-10-25T01:30Z", "2026-10-25T02:00Z"],
  ],
  [
    "of a list of hours, one the spring leaves out is left out",
    "30 1,2 * * *",
    "Europe/Berlin",
    "2026-03-28T12:00Z",
    ["2026-03-29T00:30Z", "2026-03-29T23:30Z", "2026-03-30T00:30Z"],
  ],
  [
    "a zone half an hour off, that moves by half an hour",
    "15 2 * * *",
    "Australia/Lord_Howe",
    "2026-10-02T16:00Z",
    ["2026-10-03T15:30Z", "2026-10-04T15:15Z"],
  ],
  ["weekdays only", "0 9 * * 1-5", "UTC", "2026-02-20T10:00Z", ["2026-02-23T09:00Z"]],
  ["the last day of a month", "0 0 L * *", "UTC", "2028-02-01T00:00Z", ["2028-02-29T00:00Z", "2028-03-31T00:00Z"]],
  ["a day that never comes", "0 0 30 2 *", "UTC", "2026-01-01T00:00Z", []],
  ["a zone nobody knows is UTC", "0 8 * * *", "Mars/Olympus", "2026-01-01T00:00Z", ["2026-01-01T08:00Z"]],
];
for (const [what, cron, zone, after, expected] of rows)
  test(what, () => expect(times(cron, zone, after, Math.max(expected.length, 1))).toEqual(expected));

test("the next time is after the one given, not the one given", () => {
  const asked = { cron: "0 8 * * *", zone: "UTC" };
  expect(nextTime({ ...asked, after: "2026-01-01T07:59:59.999Z" })).toBe("2026-01-01T08:00:00.000Z");
  expect(nextTime({ ...asked, after: "2026-01-01T08:00:00.000Z" })).toBe("2026-01-02T08:00:00.000Z");
});

const both: [cron: string, zone: string, from: string][] = [
  ["30 2 * * *", "Europe/Berlin", "2026-03-20T00:00:00.000Z"],
  ["30 2 * * *", "Europe/Berlin", "2026-10-20T00:00:00.000Z"],
  ["*/20 * * * *", "Europe/Berlin", "2026-03-28T20:00:00.000Z"],
  ["*/20 * * * *", "Europe/Berlin", "2026-10-24T20:00:00.000Z"],
  ["5 1,3 * * *", "America/New_York", "2026-10-28T00:00:00.000Z"],
  ["15 30 8 * * 1-5", "Asia/Kolkata", "2026-02-01T00:00:00.000Z"],
];
for (const [cron, zone, from] of both)
  test(`looking back over “${cron}” in ${zone} from ${from.slice(0, 7)} finds what looking ahead finds`, () => {
    const ahead: string[] = [];
    for (let at = from; ahead.length < 30; ) {
      at = nextTime({ cron, zone, after: at }) as string;
      ahead.push(at);
    }
    const [first, last] = [ahead[0] as string, ahead.at(-1) as string];
    expect(newestTimes({ cron, zone }, { from: first, to: last, max: 100 })).toEqual(ahead);
    expect(newestTimes({ cron, zone }, { from: first, to: last, max: 3 })).toEqual(ahead.slice(-3));
    const before = new Date(Date.parse(last) - 1).toISOString();
    expect(newestTimes({ cron, zone }, { from: first, to: before, max: 100 })).toEqual(ahead.slice(0, -1));
  });

test("however many have passed, as many as are asked for are found, and no line takes long to look back over", () => {
  const [from, to] = ["2026-02-18T00:00:00.000Z", "2026-02-18T05:00:00.000Z"];
  const minutes = Array.from({ length: 301 }, (_, minute) =>
    new Date(Date.parse(from) + minute * 60_000).toISOString(),
  );
  for (const most of [1, 2, 3, 12, 13, 102, 301, 400])
    expect(newestTimes({ cron: "* * * * *", zone: "UTC" }, { from, to, max: most })).toEqual(minutes.slice(-most));
  expect(newestTimes({ cron: "0 0 29 2 *", zone: "UTC" }, { from, to, max: 102 })).toEqual([]);
});
