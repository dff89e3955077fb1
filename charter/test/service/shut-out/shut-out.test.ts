import { expect, test } from "vitest";
import { homes, newPlace, whole } from "../../homes.ts";
import { shutOutElsewhere } from "./shut-out.ts";

/** How long it takes is measured where nothing else runs: `npm run faults`. */
const times = whole ? 100 : 1;

for (const home of homes)
  test(`two servers on ${home}: whoever is shut out at one is out at the other, ${times} times`, {
    timeout: 600_000,
  }, async () => {
    const place = await newPlace(home);
    try {
      expect((await shutOutElsewhere(place, times)).faults).toEqual([]);
    } finally {
      await place.remove();
    }
  });
