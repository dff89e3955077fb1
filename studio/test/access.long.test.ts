import { beforeAll, expect, test } from "vitest";
import { pageNames } from "../src/app/place.ts";
import { bringAxe, faultsOf } from "./stage/faults.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { type Place, placesOf } from "./stage/places.ts";

/** Every view of every page, in all its colours, in the dark and on a telephone. */
inBrowser("every page", { timeout: 600_000 }, () => {
  const { stage, window } = onStage();
  let places: readonly Place[] = [];

  beforeAll(async () => {
    places = await placesOf(stage);
    await bringAxe(window.page);
  });

  for (const name of ["agents", ...pageNames])
    test(`${name}: nothing serious is against any of its views, and on a telephone nothing is too wide`, async () => {
      const views = places.filter((one) => one.page === name);
      expect(views.length).toBeGreaterThan(0);
      for (const place of views) expect(await faultsOf(window.page, place, true)).toEqual([]);
      expect(window.wrong).toEqual([]);
    });
});
