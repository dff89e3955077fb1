import { beforeAll, describe, expect, test } from "vitest";
import { bothHomes, newFile, newPlace, type PlaceName } from "../../homes.ts";
import { randomFrom, seed, some, times } from "../../tiers/search.ts";
import { dieAt, listMoments, type Moment } from "./kill-moments.ts";
import { diesAt } from "./kill-phase.ts";
import { longRows, type Row, rows } from "./kill-rows.ts";
import { killTurns } from "./kill-run.ts";

const kills: Readonly<Record<PlaceName, number>> = { sqlite: 100, postgres: 25 };
const tables: readonly (readonly [input: string, ...row: Row])[] = [
  ...rows.map((row) => ["it", ...row] as const),
  ...longRows.map((row) => ["read", ...row] as const),
];

test.each(some(tables))(
  "a turn that is asked “%s” and dies %s leaves what was foreseen",
  async (input, _, die, found) => {
    const place = await newFile();
    try {
      expect(await diesAt(place, die, input)).toMatchObject({ died: die !== undefined, ...found, faults: [] });
    } finally {
      await place.remove();
    }
  },
);

describe("turns whose process is killed", () => {
  let moments: readonly Moment[];
  beforeAll(async () => {
    moments = await listMoments(newFile);
  });

  test.each(some(bothHomes))(
    "at each moment there is, on %s: whole or interrupted, nothing is lost or doubled",
    async (home) => {
      const { deaths, interrupted, answered, unbegun, faults } = await dieAt(() => newPlace(home), some(moments));
      console.log(
        `${home}: dead at ${deaths} of ${moments.length} moments of a turn, ${interrupted} interrupted, ${answered} whole, ${unbegun} never begun, ${faults.length} faults`,
      );
      expect(faults).toEqual([]);
    },
  );

  test.each(some(bothHomes))(
    "at random, with turns of six users in flight, on %s: nothing is lost or doubled",
    async (home) => {
      const place = await newPlace(home);
      try {
        const wanted = { kills: times(kills[home]), users: 6, random: randomFrom(seed) };
        const { answered, interrupted, calls, faults } = await killTurns(place, wanted);
        console.log(
          `${home}: ${wanted.kills} kills with 6 turns in flight, ${answered} answered, ${interrupted} interrupted, ${calls} calls, ${faults.length} faults`,
        );
        expect(faults).toEqual([]);
        expect(answered).toBeGreaterThanOrEqual(wanted.kills);
      } finally {
        await place.remove();
      }
    },
  );
});
