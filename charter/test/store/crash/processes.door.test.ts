import { expect, test } from "vitest";
import { bothHomes, newPlace } from "../../homes.ts";
import { crowd } from "./crash-crowd.ts";

const [processes, proposals] = [2, 10];

for (const name of bothHomes)
  test(`many processes on one ${name} that is new to all of them write one history without gap or repeat`, async () => {
    const place = await newPlace(name, "empty");
    try {
      const { accepted, faults } = await crowd(place, { processes, proposals });
      expect({ accepted, faults }).toEqual({ accepted: processes * proposals, faults: [] });
    } finally {
      await place.remove();
    }
  });
