import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { homes, whole } from "../homes.ts";
import { type CoreAftermath, type CoreTrial, dieWriting, newCoreTrial } from "./kill-core.ts";

/** Whoever writes a core memory is killed: there is one event with one id, or none and the next turn sends it, or nothing. */
const rows: [when: string, moment: string, count: number, left: CoreAftermath["left"]][] = [
  ["while the change is written", "commit change", 1, "nothing"],
  ["when it is on record", "committed change", 1, "recorded"],
  ["before its event is sent", "send after", 3, "recorded"],
  ["before it notes that it stands", "commit after", 1, "sent"],
];

describe("a process that dies", () => {
  let trial: Promise<CoreTrial> | undefined;
  afterAll(async () => (await trial)?.close());
  for (const [index, [when, moment, count, left]] of rows.entries())
    for (const by of (["set", "turn"] as const).filter((_, which) => whole || (which === index % 2 && index % 3 > 0)))
      test(`${when} (${by})`, async () => {
        trial ??= newCoreTrial("sqlite");
        const found = await (await trial).dies(by, { moment, count });
        expect(found).toMatchObject({ died: true, left, faults: [] });
      });
});

describe.runIf(whole).each(homes)("many moments, on %s", (home) => {
  test.each(["set", "turn"] as const)("%s: one event, or none and the next turn sends it, or nothing", async (by) => {
    const trial = await newCoreTrial(home);
    onTestFinished(trial.close);
    // `npm run crash` dies at each of them.
    const found = await dieWriting(trial, by, undefined, home === "sqlite" ? 3 : 9);
    expect(found.faults).toEqual([]);
    const { nothing, recorded, sent, published } = found.left;
    // Some died before it was on record, and some after it was out; the moments between are in the test above.
    expect([nothing > 0, recorded + sent + published > 0]).toEqual([true, true]);
  });
});
