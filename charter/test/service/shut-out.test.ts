import { expect, test } from "vitest";
import { homes, newPlace, whole } from "../homes.ts";
import { shutOutElsewhere } from "./shut-out.ts";

const times = whole ? 100 : 3;

for (const home of homes)
  test(`two servers on ${home}: whoever is shut out at one is out at the other, ${times} times`, {
    timeout: 600_000,
  }, async () => {
    const place = await newPlace(home);
    try {
      const { endedMs, faults } = await shutOutElsewhere(place, times);
      expect(faults).toEqual([]);
      if (!whole) return;
      const sorted = [...endedMs].sort((one, other) => one - other);
      const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)];
      const told = `${times} times, ${sorted.length} streams: half were over within ${at(0.5)} ms, all within ${at(1)} ms`;
      process.stdout.write(`Shut out elsewhere, on ${home}: ${told}.\n`);
      expect(sorted.filter((ms) => ms >= 1_000)).toEqual([]);
    } finally {
      await place.remove();
    }
  });
