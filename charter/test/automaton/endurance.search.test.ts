import { expect, test } from "vitest";
import { bothHomes, newPlace } from "../homes.ts";
import { randomFrom, seed, some, times } from "../tiers/search.ts";
import { endure } from "./endurance.ts";

test.each(some(bothHomes))(
  "an agent that lives for long, on %s: each message is answered once, withdrawn, or dead with all reasons",
  async (home) => {
    const place = await newPlace(home);
    try {
      const wanted = { turns: times(5000), kills: times(40), random: randomFrom(seed) };
      const { turns, kills, jumps, stateFaults, posted, answered, withdrawn, dead, faults } = await endure(
        place,
        wanted,
      );
      console.log(
        `${home}: ${turns} turns, ${kills} processes killed, ${jumps} jumps of the clock, ${stateFaults} turns left in the middle and mended, of ${posted} messages ${answered} answered once, ${withdrawn} withdrawn, ${dead} dead with all reasons, ${faults.length} faults`,
      );
      expect([faults, answered + withdrawn + dead]).toEqual([[], posted]);
    } finally {
      await place.remove();
    }
  },
);
