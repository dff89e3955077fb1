import type { TrialAnswer } from "charter/answers";
import { expect, test } from "vitest";
import { sumOf } from "./save-panel.tsx";

const turn = (tokens: number, cold: number | null, more: object = {}): TrialAnswer["turns"][number] => ({
  ...{ turn: "t", at: "2026-02-18T12:00:00Z", user: null, session: null, changed: true, cut: false, over: null },
  before: { tokens: 10, cold: 1, warm: 0.5 },
  after: { tokens, cold, warm: 0.5 },
  ...more,
});

test("what turns come to is added up, and a price that one of them lacks is not guessed", () => {
  const over = { what: "prompt", unit: "tokens", limit: 20, by: 1 } as const;
  expect(sumOf([turn(12, 2), turn(21, 3, { over }), turn(10, 1, { changed: false, cut: true })])).toEqual({
    before: { tokens: 30, cold: 3, warm: 1.5 },
    after: { tokens: 43, cold: 6, warm: 1.5 },
    ...{ over: 1, same: 1, cut: 1 },
  });
  expect(sumOf([turn(12, 2), turn(12, null)]).after).toEqual({ tokens: 24, cold: null, warm: 1 });
});
