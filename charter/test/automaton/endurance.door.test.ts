import { expect, test } from "vitest";
import { bothHomes, newPlace } from "../homes.ts";
import { randomFrom, seed } from "../tiers/search.ts";
import { endure } from "./endurance.ts";

test.each(bothHomes)(
  "an agent whose process is killed, on %s: each message is answered once, withdrawn, or dead with all reasons",
  async (home) => {
    const place = await newPlace(home);
    try {
      const wanted = { turns: 20, kills: 1, random: randomFrom(seed) };
      const { faults, kills, posted, answered, withdrawn, dead } = await endure(place, wanted);
      expect([faults, kills, answered + withdrawn + dead]).toEqual([[], 1, posted]);
    } finally {
      await place.remove();
    }
  },
);
