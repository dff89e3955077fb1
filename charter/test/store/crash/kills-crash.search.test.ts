import { expect, test } from "vitest";
import { bothHomes, newPlace } from "../../homes.ts";
import { randomFrom, seed, times } from "../../tiers/search.ts";
import { crash } from "./crash-run.ts";

const many = { sqlite: 200, postgres: 50 };

test.each(bothHomes)(
  "writers on %s that are killed at random moments lose nothing and leave nothing half done",
  async (name) => {
    const place = await newPlace(name, "empty");
    try {
      const { kills, acknowledged, faults } = await crash(place, {
        kills: times(many[name]),
        random: randomFrom(seed),
      });
      const of = (kind: string) => faults.filter((fault) => fault.startsWith(`${kind}:`)).length;
      const others = faults.length - of("lost") - of("half");
      console.log(
        `${name}: ${kills} kills, ${acknowledged} changes acknowledged, ${of("lost")} lost, ${of("half")} half done, ${others} other faults`,
      );
      expect(faults).toEqual([]);
    } finally {
      await place.remove();
    }
  },
);
