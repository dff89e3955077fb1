import { expect, test } from "vitest";
import { cronOf, localField, usualTime } from "./page.tsx";

test("a first time and how often make a cron line", () => {
  const at = "2026-03-04T09:05"; // a Wednesday
  expect(cronOf("once", at)).toBeUndefined();
  expect(cronOf("daily", at)).toBe("5 9 * * *");
  expect(cronOf("weekdays", at)).toBe("5 9 * * 1-5");
  expect(cronOf("weekly", at)).toBe("5 9 * * 3");
  expect(cronOf("monthly", at)).toBe("5 9 4 * *");
});

test("the usual time is tomorrow at nine, as a date field takes it", () => {
  expect(usualTime(new Date(2026, 11, 31, 23, 59))).toBe("2027-01-01T09:00");
  expect(localField(new Date(2026, 0, 2, 3, 4))).toBe("2026-01-02T03:04");
});
