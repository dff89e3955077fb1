import { expect, onTestFinished, test } from "vitest";
import { bothHomes } from "../homes.ts";
import { some } from "../tiers/search.ts";
import { dieWriting, newCoreTrial } from "./kill-core.ts";

const ways = bothHomes.flatMap((home) => (["set", "turn"] as const).map((by) => [home, by] as const));

test.each(some(ways))(
  "on %s, whoever writes a core memory by %s and is killed leaves one event with one id, or none and the next turn sends it, or nothing",
  async (home, by) => {
    const trial = await newCoreTrial(home);
    onTestFinished(trial.close);
    const alive = await trial.dies(by, undefined);
    const all = alive.moments.map((_, index) => index + 1);
    const { deaths, left, faults } = await dieWriting(trial, by, some(all));
    console.log(
      `${home}: a core memory written by ${by}, dead at ${deaths} of ${all.length} moments, ${left.nothing} before it was on record, ${left.recorded} before it was sent, ${left.sent} before that was noted, ${left.published} after, ${faults.length} faults`,
    );
    expect([...alive.faults, ...faults]).toEqual([]);
  },
);
