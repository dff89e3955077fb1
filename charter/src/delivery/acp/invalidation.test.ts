import { expect, test } from "vitest";
import { finishOf, stopReasonOf, survivalOf } from "./session-update.ts";

const reasons = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error", "unknown"] as const;

test("of all stops only the end of a turn leaves the session as it is", () => {
  const survivals = reasons.map((reason) => survivalOf({ kind: "stopped", reason, turns: 1 }));
  const invalid = { session: "invalid", process: "kept" };
  expect(survivals).toEqual([{ session: "kept", process: "kept" }, ...Array(6).fill(invalid)]);
});

test("after so many turns it starts anew", () => {
  const at = (turns: number) => survivalOf({ kind: "stopped", reason: "end_turn", turns }, 3).session;
  expect([1, 2, 3, 4].map(at)).toEqual(["kept", "kept", "invalid", "invalid"]);
});

test("nothing is left of a process that went, did not stop, or sent nonsense", () => {
  const kinds = ["failed", "timed-out", "exited", "protocol-error"] as const;
  expect(kinds.map((kind) => [kind, survivalOf({ kind })])).toEqual([
    ["failed", { session: "invalid", process: "kept" }],
    ["timed-out", { session: "invalid", process: "ended" }],
    ["exited", { session: "invalid", process: "ended" }],
    ["protocol-error", { session: "invalid", process: "ended" }],
  ]);
});

test("what a stop is as the end of an answer", () => {
  expect(reasons.map(finishOf)).toEqual(["stop", "length", "other", undefined, undefined, undefined, "other"]);
  expect(["end_turn", "_own", 7, null].map(stopReasonOf)).toEqual(["end_turn", "unknown", "unknown", "unknown"]);
});
