import { expect, test } from "vitest";
import { bothHomes, newPlace } from "../../homes.ts";
import { times } from "../../tiers/search.ts";
import { crowd } from "./crash-crowd.ts";

test.each(bothHomes)(
  "eight processes on one %s that is new to all of them write one history without gap or repeat",
  async (name) => {
    const [processes, proposals] = [times(8, 2), times(500, 10)];
    const place = await newPlace(name, "empty");
    try {
      const { accepted, stale, faults } = await crowd(place, { processes, proposals });
      console.log(
        `${name}: ${processes} processes × ${proposals} proposals, ${accepted} accepted, ${stale} came too late and were made again, ${faults.length} faults`,
      );
      expect({ accepted, faults }).toEqual({ accepted: processes * proposals, faults: [] });
    } finally {
      await place.remove();
    }
  },
);
