import { expect, test } from "vitest";
import { dayIn, spanOf } from "./span.ts";

const now = new Date(2026, 10, 17, 9, 30, 12, 345);
const at = (...parts: [number, number, number, number?, number?]) => new Date(...parts).toISOString();

test("a stretch of days begins and ends at the reader's midnight", () => {
  expect(spanOf({ when: "today" }, now)).toEqual({ from: at(2026, 10, 17) });
  expect(spanOf({ when: "yesterday" }, now)).toEqual({ from: at(2026, 10, 16), to: at(2026, 10, 17) });
  expect(spanOf({ since: "2026-11-01", until: "2026-11-30" }, now)).toEqual({
    from: at(2026, 10, 1),
    to: at(2026, 11, 1),
  });
  expect(spanOf({ until: "2026-12-31" }, now)).toEqual({ to: at(2027, 0, 1) });
  expect(spanOf({}, now)).toEqual({});
});

test("seven days are today and the six before it, in UTC, as Home counts them", () => {
  const late = new Date("2026-11-17T23:30:12.345Z");
  expect(spanOf({ when: "week" }, late)).toEqual({ from: "2026-11-11T00:00:00.000Z" });
});

test("a day is one that exists", () => {
  expect(dayIn("2028-02-29")).toEqual(new Date(2028, 1, 29));
  for (const text of ["2026-02-29", "2026-13-01", "0050-01-01", "2026-1-1", "today", "", "2026-11-17T00:00"])
    expect([text, dayIn(text)]).toEqual([text, undefined]);
});
