import { expect, test } from "vitest";
import { sessionWords } from "./groups.tsx";

test("all sessions are counted, also those of one turn that are not listed", () => {
  expect([
    sessionWords({ total: 5, single: 31 }, false),
    sessionWords({ total: 5, single: 0 }, true),
    sessionWords({ total: 1, single: 0 }, true),
    sessionWords({ total: 0, single: 1 }, true),
  ]).toEqual([
    "36 sessions. 31 of them have one turn only and are not listed here; see them turn by turn.",
    "5 sessions match",
    "1 session matches",
    "1 session matches. 1 of them has one turn only and is not listed here; see them turn by turn.",
  ]);
});
