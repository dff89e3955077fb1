import { expect, test } from "vitest";
import { aheadOf, type Schedule } from "./ahead.ts";

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
