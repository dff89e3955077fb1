import { expect, onTestFinished, test } from "vitest";
import { type CoreAftermath, newCoreTrial } from "./kill-core.ts";

/** Whoever writes a core memory is killed: there is one event with one id, or none and the next turn sends it. */
test.each([
  ["sqlite", "turn", "when its change is on record", "committed change", "recorded"],
  ["postgres", "set", "before it notes that its event stands", "commit after", "sent"],
] as const)("on %s, a process that writes by %s and dies %s", async (home, by, _when, moment, left) => {
  const trial = await newCoreTrial(home);
  onTestFinished(trial.close);
  const found = await trial.dies(by, { moment, count: 1 });
  expect(found).toMatchObject({ died: true, left, faults: [] } satisfies Partial<CoreAftermath>);
});
