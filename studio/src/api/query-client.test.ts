import { expect, test } from "vitest";
import { isSameQuestion } from "./query-client.ts";

const cases: readonly (readonly [before: string | undefined, now: string | undefined, same: boolean])[] = [
  ["/agents/ada/memory?user=bo&limit=50", "/agents/ada/memory?limit=50&user=bo&offset=50", true],
  ["/agents/ada/memory?user=bo", "/agents/ada/memory?user=bo&query=sister", true],
  ["/agents/ada/memory?user=bo", "/agents/ada/memory?user=cy", false],
  ["/agents/ada/memory?user=bo", "/agents/ada/memory", false],
  ["/agents/ada/memory", "/agents/art/memory", false],
  ["/approvals?agent=ada&status=waiting", "/approvals?agent=ada&status=rejected", false],
  ["/turns/1?parts=receipts", "/turns/2?parts=receipts", false],
  ["/approvals?agent=ada", undefined, false],
  [undefined, "/approvals?agent=ada", false],
];

for (const [before, now, same] of cases)
  test(`${before} is ${same ? "" : "not "}the question of ${now}`, () =>
    expect(isSameQuestion(before, now)).toBe(same));
