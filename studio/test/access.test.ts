import { expect, test } from "vitest";
import { bringAxe, faultsOf } from "./stage/faults.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { placesOf } from "./stage/places.ts";

/** The pages with the most colours and controls; all others are looked at in access.long.test.ts. */
const colourful = ["agents", "settings", "prompt", "sections"];

inBrowser("the pages with the most on them", () => {
  const { stage, window } = onStage();

  test("nothing serious is against them, in the light and in the dark, and on a telephone nothing is too wide", async () => {
    await bringAxe(window.page);
    const views = (await placesOf(stage)).filter(({ page, main }) => main && colourful.includes(page));
    expect(views.map(({ page }) => page)).toEqual(colourful);
    for (const place of views) expect(await faultsOf(window.page, place)).toEqual([]);
    expect(window.wrong).toEqual([]);
  });
});
