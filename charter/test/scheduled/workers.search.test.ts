import { expect, test } from "vitest";
import { bothHomes, newPlace } from "../homes.ts";
import { randomFrom, seed, some, times } from "../tiers/search.ts";
import { killWorkers } from "./kill-workers.ts";

test.each(some(bothHomes))(
  "workers that are killed in the middle of their runs, on %s: each run happens once, or is reported",
  async (home) => {
    const place = await newPlace(home);
    try {
      const found = await killWorkers(place, { times: times(50), random: randomFrom(seed) });
      const { kills, schedules, answered, takenOver, reported, faults } = found;
      console.log(
        `${home}: ${kills} workers killed in the middle of a run, of ${schedules} runs ${answered} happened once (${takenOver} of them taken over from the dead), ${reported} were reported as lost, ${faults.length} faults`,
      );
      expect([faults, schedules, answered + reported]).toEqual([[], 3 * kills, 3 * kills]);
    } finally {
      await place.remove();
    }
  },
);
