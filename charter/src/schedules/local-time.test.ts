import { expect, test } from "vitest";
import { Problem } from "../index.ts";
import { localText, momentOf } from "./schedule.ts";

const rows: [words: string, zone: string, moment: string][] = [
  ["2026-03-01T09:00", "Europe/Berlin", "2026-03-01T08:00:00.000Z"],
  ["2026-07-01T09:00", "Europe/Berlin", "2026-07-01T07:00:00.000Z"],
  [" 2026-03-01 09:00:30 ", "Asia/Kolkata", "2026-03-01T03:30:30.000Z"],
  ["2026-03-01", "UTC", "2026-03-01T09:00:00.000Z"],
  ["2026-03-01T09:00:00+01:00", "Asia/Kolkata", "2026-03-01T08:00:00.000Z"],
  ["2026-03-01T09:00:00Z", "Asia/Kolkata", "2026-03-01T09:00:00.000Z"],
  ["2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:30:00.000Z"],
  ["2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00.000Z"],
  ["2028-02-29T10:00", "Mars/Olympus", "2028-02-29T10:00:00.000Z"],
];
for (const [words, zone, moment] of rows)
  test(`“${words}” in ${zone} is ${moment}`, () => expect(momentOf(words, zone)).toBe(moment));

for (const words of [
  "soon",
  "",
  "2026-02-30T10:00",
  "2027-02-29",
  "2026-03-01T25:00",
  "10:00",
  "2026-03-01T09:00 Berlin",
])
  test(`“${words}” is no time`, () => {
    expect(() => momentOf(words, "UTC")).toThrow(
      new Problem("bad-time", `“${words}” is no time.`, "Give an ISO 8601 time, as in 2026-02-18T15:04:00Z."),
    );
  });

test("a moment as it is written where the user is", () => {
  expect(localText("2026-03-01T08:00:00.000Z", "Europe/Berlin")).toBe("2026-03-01 09:00 (Europe/Berlin)");
  expect(localText("2026-03-01T08:00:00.000Z", "Mars/Olympus")).toBe("2026-03-01 08:00 (UTC)");
});
