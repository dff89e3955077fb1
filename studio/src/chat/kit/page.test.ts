import { expect, test } from "vitest";
import { ageText, plainRefusal, whenText } from "./page.tsx";

test("what is held says which text it is because of; what other checks mind is said in plain words", () => {
  const because = "A person must approve this change, because a picture came with a message.";
  expect(plainRefusal({ guard: "needs-approval", because, holds: true })).toBe(because);
  expect(plainRefusal({ guard: "room", because: "1200 tokens are over." })).toBe(
    "It is too long: there is no room left for it.",
  );
  expect(plainRefusal({ guard: "of-ones-own", because: "Odd." })).toBe("This change was not accepted.");
});

test("a time is said by the clock of its zone", () => {
  const now = new Date("2026-03-03T22:30:00Z");
  // In Berlin it is tomorrow, so the day is said as well.
  const days = ["UTC", "Europe/Berlin"].map((zone) => whenText("2026-03-03T23:30:00Z", { now, zone }));
  expect(days).toEqual([expect.not.stringContaining(","), expect.stringContaining("4")]);
  const [rome, tokyo] = ["Europe/Rome", "Asia/Tokyo"].map((zone) => whenText("2026-03-05T06:30:00Z", { now, zone }));
  expect([rome, tokyo]).toEqual([expect.stringContaining("07:30"), expect.stringContaining("03:30")]);
});

test("conversations are parted by their age", () => {
  const now = new Date(2026, 2, 10, 12);
  const at = (day: number, hour = 8) => ageText(new Date(2026, 2, day, hour).toISOString(), now);
  expect([at(10), at(9, 23), at(9), at(8), at(4), at(1)]).toEqual([
    "Today",
    "Yesterday",
    "Yesterday",
    "Last 7 days",
    "Last 7 days",
    "Earlier",
  ]);
});
