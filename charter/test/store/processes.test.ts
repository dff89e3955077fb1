import { expect, test } from "vitest";
import { homes, newPlace } from "../homes.ts";
import { crowd } from "./crash-crowd.ts";

for (const name of homes)
  test(`many processes on one ${name} that is new to all of them write one history without gap or repeat`, async () => {
    const place = await newPlace(name);
    try {
      const { accepted, faults } = await crowd(place, { processes: 4, proposals: 25 });
      expect({ accepted, faults }).toEqual({ accepted: 100, faults: [] });
    } finally {
      await place.remove();
    }
  }, 120_000);
