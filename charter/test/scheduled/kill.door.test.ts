import { expect, test } from "vitest";
import { bothHomes, newPlace } from "../homes.ts";
import { killWorkers } from "./kill-workers.ts";

test.each(bothHomes)(
  "a worker that is killed in the middle of a run, on %s: each run happens once, or is reported",
  async (home) => {
    const place = await newPlace(home);
    try {
      const { faults, schedules, answered, reported } = await killWorkers(place, { times: 1, random: () => 0 });
      expect([faults, schedules, answered + reported]).toEqual([[], 3, 3]);
    } finally {
      await place.remove();
    }
  },
);
