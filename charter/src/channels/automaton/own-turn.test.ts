import { expect, test } from "vitest";
import { isOwnTurnDue } from "./round.ts";

test("a turn of its own is due at first, and so long after the last; a clock that was set back delays none", () => {
  const now = new Date("2026-02-20T10:00:00Z");
  const due = [null, "10:00", "09:55:01", "09:55", "08:00", "10:04", "10:05", "11:30"].map((time) =>
    isOwnTurnDue(time === null ? null : `2026-02-20T${time}Z`, now, 300_000),
  );
  expect(due).toEqual([true, false, false, true, true, false, true, true]);
});
