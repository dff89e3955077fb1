import { expect, test } from "vitest";
import { bothHomes, newPlace } from "../../homes.ts";
import { shutOutElsewhere } from "./shut-out.ts";

/** The other ways to be shut out, and how long it takes: `npm run faults`. */
test.each(bothHomes)("two servers on %s: whoever is shut out at one is out at the other", async (home) => {
  const place = await newPlace(home);
  try {
    expect((await shutOutElsewhere(place, 1)).faults).toEqual([]);
  } finally {
    await place.remove();
  }
});
