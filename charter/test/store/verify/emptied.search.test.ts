import { expect, onTestFinished, test } from "vitest";
import { bothHomes, newPlace } from "../../homes.ts";
import { some } from "../../tiers/search.ts";
import { behindItsBack, fillAll, tables } from "./emptied.ts";

const alone = tables.map((table) => [table]);
const pairs = tables.flatMap((one, index) => tables.slice(index + 1).map((other) => [one, other]));

test.each(bothHomes)(
  "any table on %s that is emptied, alone or with any other, is named as long as anything else tells of it",
  async (name) => {
    const place = await newPlace(name);
    onTestFinished(place.remove);
    const store = await fillAll(place.open());
    onTestFinished(() => store.close());
    expect(await behindItsBack(() => store.home).unnamed(some([...alone, ...pairs]))).toEqual([]);
  },
);
