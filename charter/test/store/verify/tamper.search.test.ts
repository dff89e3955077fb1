import { test } from "vitest";
import { bothHomes, newPlace } from "../../homes.ts";
import { randomFrom, seed, times } from "../../tiers/search.ts";
import { fill } from "../filled.ts";
import { backUp } from "./tamper.ts";
import { tamperOften } from "./tamper-often.ts";

const often = { sqlite: 1000, postgres: 200 };

test.each(bothHomes)(
  "rows on %s edited, deleted and swapped at random: each is named, and the agent goes on",
  async (name) => {
    const place = await newPlace(name);
    const store = await fill(place.open());
    try {
      const restore = await backUp(store.home);
      const kinds = await tamperOften(store, restore, { times: times(often[name]), random: randomFrom(seed) });
      console.log(`${times(often[name])} times tampered with ${name}, in ${kinds.size} ways`);
    } finally {
      await store.close();
      await place.remove();
    }
  },
);
