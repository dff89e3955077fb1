import { expect, test } from "vitest";
import type { Schedule } from "../../store/schedules/runs.ts";
import { planSchedule } from "./scheduler.ts";

const daily: Schedule = {
  id: "s",
  scope: { agent: "ada", user: "bo" },
  title: "Digest",
  cron: "0 8 * * *",
  zone: null,
  input: "Write the digest.",
  channel: "scheduled",
  missed: "once",
  overlap: "skip",
  maxTries: 3,
  nextAt: "2026-02-18T08:00:00.000Z",
  lastAt: null,
  endedAt: null,
};
const about = { zone: "UTC", openSince: null, now: "2026-02-18T08:00:03.000Z" };
const nobody = "Nobody was running schedules when it was due.";

test("in time: one run, and the next day's time", () => {
  expect(planSchedule(daily, about)).toEqual({
    runs: [{ dueAt: "2026-02-18T08:00:00.000Z", state: "waiting" }],
    nextAt: "2026-02-19T08:00:00.000Z",
  });
});

test("the very moment it is due is in time", () => {
  expect(planSchedule(daily, { ...about, now: "2026-02-18T08:00:00.000Z" }).runs).toEqual([
    { dueAt: "2026-02-18T08:00:00.000Z", state: "waiting" },
  ]);
});

test("three days nobody ran: the newest is made up for, the others were missed", () => {
  expect(planSchedule(daily, { ...about, now: "2026-02-20T17:00:00.000Z" })).toEqual({
    runs: [
      { dueAt: "2026-02-18T08:00:00.000Z", state: "missed", reason: nobody },
      { dueAt: "2026-02-19T08:00:00.000Z", state: "missed", reason: nobody },
      { dueAt: "2026-02-20T08:00:00.000Z", state: "waiting" },
    ],
    nextAt: "2026-02-21T08:00:00.000Z",
  });
});

test("what must not come late is missed, the newest too", () => {
  const skip = { ...daily, missed: "skip" } as const;
  expect(planSchedule(skip, { ...about, now: "2026-02-19T17:00:00.000Z" }).runs.map(({ state }) => state)).toEqual([
    "missed",
    "missed",
  ]);
  expect(planSchedule(skip, { ...about, now: "2026-02-18T08:05:00.000Z" }).runs).toEqual([
    { dueAt: "2026-02-18T08:00:00.000Z", state: "waiting" },
  ]);
  expect(planSchedule(skip, { ...about, now: "2026-02-18T08:05:00.001Z" }).runs).toEqual([
    { dueAt: "2026-02-18T08:00:00.000Z", state: "missed", reason: nobody },
  ]);
});

test("while the run before it is going, it is skipped, or waits its turn", () => {
  const going = { ...about, openSince: "2026-02-17T08:00:00.000Z" };
  expect(planSchedule(daily, going).runs).toEqual([
    {
      dueAt: "2026-02-18T08:00:00.000Z",
      state: "skipped",
      reason: "The run of 2026-02-17T08:00:00.000Z was still going.",
    },
  ]);
  expect(planSchedule({ ...daily, overlap: "queue" }, going).runs).toEqual([
    { dueAt: "2026-02-18T08:00:00.000Z", state: "waiting" },
  ]);
});

test("once is once: it runs, late or not, and is over", () => {
  const once = { ...daily, cron: null };
  const due = "2026-02-18T08:00:00.000Z";
  expect(planSchedule(once, { ...about, now: "2026-04-01T00:00:00.000Z" })).toEqual({
    runs: [{ dueAt: due, state: "waiting" }],
    nextAt: null,
  });
  expect(planSchedule({ ...once, missed: "skip" }, { ...about, now: "2026-04-01T00:00:00.000Z" })).toEqual({
    runs: [{ dueAt: due, state: "missed", reason: nobody }],
    nextAt: null,
  });
});

test("of a year of missed minutes a hundred are listed, and it is said that there were more", () => {
  const { runs, unlisted, nextAt } = planSchedule(
    { ...daily, cron: "* * * * *" },
    { ...about, now: "2027-02-18T08:00:03.000Z" },
  );
  expect([runs.length, unlisted, nextAt]).toEqual([101, true, "2027-02-18T08:01:00.000Z"]);
  expect(runs[0]).toEqual({
    dueAt: "2027-02-18T06:20:00.000Z",
    state: "missed",
    reason: `${nobody} So it was with others before it, since 2026-02-18T08:00:00.000Z.`,
  });
  expect(runs.slice(1, -1).every(({ reason }) => reason === nobody)).toBe(true);
  expect(runs.at(-1)).toEqual({ dueAt: "2027-02-18T08:00:00.000Z", state: "waiting" });
});

test("exactly a hundred missed are listed without more", () => {
  const { runs, unlisted } = planSchedule(
    { ...daily, cron: "* * * * *" },
    { ...about, now: "2026-02-18T09:40:30.000Z" },
  );
  expect([runs.length, unlisted]).toEqual([101, undefined]);
  expect(runs[0]).toEqual({ dueAt: "2026-02-18T08:00:00.000Z", state: "missed", reason: nobody });
});

test("a time that was due in a zone the user has left is not lost", () => {
  // 08:00 in Berlin was 07:00 UTC; by now the user is in New York, where it is two in the morning.
  const moved = { ...daily, nextAt: "2026-02-18T07:00:00.000Z" };
  expect(planSchedule(moved, { ...about, zone: "America/New_York", now: "2026-02-18T07:00:30.000Z" })).toEqual({
    runs: [{ dueAt: "2026-02-18T07:00:00.000Z", state: "waiting" }],
    nextAt: "2026-02-18T13:00:00.000Z",
  });
});

test("a line nobody understands ends its schedule, and harms no other", () => {
  expect(planSchedule({ ...daily, cron: "at eight" }, about)).toEqual({
    runs: [
      {
        dueAt: "2026-02-18T08:00:00.000Z",
        state: "missed",
        reason: "The cron line “at eight” cannot be understood: the schedule is over.",
      },
    ],
    nextAt: null,
  });
});
