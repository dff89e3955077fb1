import { expect, onTestFinished, test } from "vitest";
import { homes, newPlace } from "../../homes.ts";
import { behindItsBack, fillAll, tables, tellers } from "./emptied.ts";

test.each(homes)(
  "each of those who tell of a table tells of it alone, when all the others are gone with it, on %s",
  async (name) => {
    expect(Object.keys(tellers).sort()).toEqual([...tables].sort());
    const place = await newPlace(name);
    onTestFinished(place.remove);
    const store = await fillAll(place.open());
    onTestFinished(() => store.close());
    const gone = Object.entries(tellers).flatMap(([table, all]) =>
      all.map((teller) => [table, ...all.filter((other) => other !== teller)]),
    );
    expect(await behindItsBack(() => store.home).unnamed(gone)).toEqual([]);
  },
);
