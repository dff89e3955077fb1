import { expect, test } from "vitest";
import { newestTimes, nextTime } from "../../../../charter/src/schedules/schedule.ts";
import { aheadOf, axisAround, clockWords, cronTimes, marksOf, placeOn, type Schedule } from "./times.ts";

const schedule = (more: Partial<Schedule>) =>
  ({ cron: "0 8 * * *", zone: null, nextAt: "2026-02-19T07:00:00.000Z", ...more }) as Schedule;
const until = Date.parse("2026-02-21T12:00:00Z");
const iso = ({ times, known, zone }: ReturnType<typeof aheadOf>) => ({
  times: times.map((time) => new Date(time).toISOString()),
  known,
  zone,
});

test("of the zones that may be meant, it is the one by which it comes next when the server says", () => {
  expect(iso(aheadOf(schedule({}), ["UTC", "Europe/Berlin"], until))).toEqual({
    times: ["2026-02-19T07:00:00.000Z", "2026-02-20T07:00:00.000Z", "2026-02-21T07:00:00.000Z"],
    known: true,
    zone: "Europe/Berlin",
  });
});

test("where no zone fits, the next time stands alone", () => {
  const alone = { times: ["2026-02-19T07:00:00.000Z"], known: false, zone: undefined };
  expect(iso(aheadOf(schedule({}), ["UTC"], until))).toEqual(alone);
  expect(iso(aheadOf(schedule({ cron: "0 8 L * *" }), ["UTC"], until))).toEqual(alone);
});

test("what comes once comes once, and what is over not at all", () => {
  expect(iso(aheadOf(schedule({ cron: null }), [], until)).times).toEqual(["2026-02-19T07:00:00.000Z"]);
  expect(iso(aheadOf(schedule({ nextAt: null }), [], until)).times).toEqual([]);
});

const noon = new Date(2026, 1, 18, 12).getTime();
const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;

test("a time by one's own clock", () => {
  expect([clockWords(noon), clockWords(noon, here)]).toEqual(["Wed 18 Feb, 12:00", "Wed 18 Feb, 12:00"]);
});

test("where it goes by another clock, that one's hour stands with it", () => {
  const utc = Date.UTC(2026, 1, 18, 12);
  expect(clockWords(utc, "Asia/Kolkata")).toMatch(/ \(17:30 in Asia\/Kolkata\)$/);
});

const cronTimesIso = (times: readonly number[] | undefined) => times?.map((time) => new Date(time).toISOString());

test("weekdays at eight by the clock of Berlin, over a weekend", () => {
  const from = Date.parse("2026-02-19T12:00:00Z");
  const times = cronTimes({ cron: "0 8 * * 1-5", zone: "Europe/Berlin", from, to: from + 7 * 86_400_000, max: 10 });
  expect(cronTimesIso(times)).toEqual([
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

const never: [what: string, cron: string, zone: string][] = [
  ["a word", "nonsense", "UTC"],
  ["a zone nobody knows", "0 9 * * *", "Nowhere/Land"],
  ["a moment", "2030-01-01T00:00:00", "UTC"],
  ["more often than once a minute", "*/5 * * * * *", "UTC"],
  ["a year of its own", "0 0 9 * * * 2030", "UTC"],
];
for (const [what, cron, zone] of never)
  test(`what the server does not take is not reckoned: ${what}`, () =>
    expect(cronTimes({ cron, zone, from: 0, to: 7 * 86_400_000, max: 1 })).toBeUndefined());

const crons = [
  "30 2 * * *",
  "30 1 * * *",
  "0 18 * * 0,3,5",
  "*/15 * * * *",
  "0 */6 * * *",
  "30 1,2 * * *",
  "0 9 1,15 * *",
  "0 9 13 * 5",
  "15 30 7 * 3,4,10,11 *",
  "30 2 L * *",
  "30 1 * * SUN#1",
  "30 2 * * SUN#L",
  "@daily",
];
const changes: [zone: string, spring: string, autumn: string][] = [
  ["Europe/Berlin", "2026-03-28T12:00:00Z", "2026-10-24T12:00:00Z"],
  ["America/New_York", "2026-03-07T12:00:00Z", "2026-10-31T12:00:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T00:00:00Z", "2026-04-04T00:00:00Z"],
];
for (const [zone, ...starts] of changes)
  for (const cron of crons)
    test(`“${cron}” in ${zone} comes when the server says it does, at both changes of the clock`, () => {
      for (const start of starts) {
        const from = Date.parse(start);
        const to = from + 40 * 86_400_000;
        const expected: string[] = [];
        for (let next = nextTime({ cron, zone, after: new Date(from - 1).toISOString() }); expected.length < 40; ) {
          if (next === null || Date.parse(next) > to) break;
          expected.push(next);
          next = nextTime({ cron, zone, after: next });
        }
        expect(expected.length).toBeGreaterThan(0);
        expect(cronTimesIso(cronTimes({ cron, zone, from, to, max: 40 }))).toEqual(expected);
        const last = expected.at(-1) as string;
        const newest = newestTimes({ cron, zone }, { from: new Date(from).toISOString(), to: last, max: 40 });
        expect(expected).toEqual(newest);
      }
    });

test("a time the spring leaves out comes at the first minute after it, one the autumn has twice comes once", () => {
  const asked = { cron: "30 2 * * *", zone: "Europe/Berlin", max: 3 };
  const spring = Date.parse("2026-03-28T00:00:00Z");
  const autumn = Date.parse("2026-10-24T00:00:00Z");
  expect(cronTimesIso(cronTimes({ ...asked, from: spring, to: spring + 3 * 86_400_000 }))).toEqual([
    "2026-03-28T01:30:00.000Z",
    "2026-03-29T01:00:00.000Z",
    "2026-03-30T00:30:00.000Z",
  ]);
  expect(cronTimesIso(cronTimes({ ...asked, from: autumn, to: autumn + 3 * 86_400_000 }))).toEqual([
    "2026-10-24T00:30:00.000Z",
    "2026-10-25T00:30:00.000Z",
    "2026-10-26T01:30:00.000Z",
  ]);
});

const now = new Date(2026, 1, 18, 15, 30).getTime();

test("now lies in the middle, and what is outside lies nowhere", () => {
  const axis = axisAround(now, "day");
  expect([placeOn(axis, now), placeOn(axis, axis.start), placeOn(axis, axis.end + 1)]).toEqual([0.5, 0, undefined]);
});

test("a week on both sides has its midnights, two days every sixth hour", () => {
  const local = (at: number) => new Date(at).getHours();
  expect(marksOf(axisAround(now, "week"), "week").map(({ at, midnight }) => [local(at), midnight])).toEqual(
    Array.from({ length: 14 }, () => [0, true]),
  );
  expect(marksOf(axisAround(now, "day"), "day").map(({ at }) => local(at))).toEqual([18, 0, 6, 12, 18, 0, 6, 12]);
});
