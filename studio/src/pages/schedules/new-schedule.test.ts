import { expect, test } from "vitest";
import { blank, bodyOf } from "./new-schedule.tsx";

const draft = { ...blank, title: "Digest", input: "Summarise.", at: "2026-03-01T09:00" };

test("again by a cron line, and what was left empty is left out", () => {
  expect(bodyOf(draft)).toEqual({
    title: "Digest",
    input: "Summarise.",
    cron: "0 8 * * 1-5",
    missed: "once",
    overlap: "skip",
    maxTries: 3,
  });
});

test("once at a time, for a user, by a zone's clock", () => {
  expect(bodyOf({ ...draft, once: true, user: "bo", zone: " Asia/Kolkata ", maxTries: "" })).toEqual({
    title: "Digest",
    input: "Summarise.",
    at: "2026-03-01T09:00",
    missed: "once",
    overlap: "skip",
    user: "bo",
    zone: "Asia/Kolkata",
  });
});
