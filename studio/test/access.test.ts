import { createRequire } from "node:module";
import type { AxeBuilder } from "@axe-core/playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whole } from "../../charter/test/homes.ts";
import { pageNames } from "../src/app/place.ts";
import { noBrowser, openWindow, type Window } from "./browser.ts";
import { goTo, type Place, placesOf, settled } from "./places.ts";
import { openStage, type Stage } from "./stage.ts";

const axe = createRequire(import.meta.resolve("@axe-core/playwright"))("axe-core") as { readonly source: string };
type AxeResults = Awaited<ReturnType<AxeBuilder["analyze"]>>;

/** The pages that have every colour there is. */
const colours = (name: string) => whole || ["prompt", "sections", "turns"].includes(name);
const contrast = "color-contrast";

/**
 * Every page's main view: what axe has against it, and whether it has to be moved sideways on a telephone. `npm run faults`
 * looks at every other view as well, and at all colours of each, in the dark and on a telephone.
 */
describe.skipIf(noBrowser)("every page", () => {
  let stage: Stage;
  let window: Window;
  let places: readonly Place[] = [];

  beforeAll(async () => {
    stage = await openStage();
    window = await openWindow(await stage.link());
    places = await placesOf(stage);
    await window.page.evaluate(axe.source);
  });
  afterAll(async () => {
    await window?.close();
    await stage?.close();
  });

  /** What is serious: which rule, where, and why. axe stays in the page, which is never loaded anew. */
  async function found(place: Place, without: readonly string[] = [], only: readonly string[] = []): Promise<string[]> {
    const rules = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]));
    const options = { resultTypes: ["violations"], rules, ...(only.length === 0 ? {} : { runOnly: only }) };
    const { violations } = (await window.page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults;
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, help, nodes }) =>
        nodes.map(({ html }) => `${place.name}: ${id}: ${help}: ${html.slice(0, 200)}`),
      );
  }

  for (const name of ["agents", ...pageNames])
    test(`${name}: nothing serious is against it, and on a telephone nothing is too wide`, async () => {
      const { page } = window;
      const wrong: string[] = [];
      for (const place of places.filter((one) => one.page === name && (one.main || whole))) {
        await goTo(page, place.path);
        wrong.push(...(await found(place, colours(name) ? [] : [contrast])));
        if (colours(name)) {
          await page.emulateMedia({ colorScheme: "dark" });
          wrong.push(...(await found(place, [], [contrast])).map((one) => `dark ${one}`));
          await page.emulateMedia({ colorScheme: "light" });
        }
        await page.setViewportSize({ width: 360, height: 740 });
        await settled(page);
        wrong.push(...((await page.evaluate(tooWide)) as string[]).map((one) => `${place.name}: ${one}`));
        if (whole) wrong.push(...(await found(place)).map((one) => `telephone ${one}`));
        await page.setViewportSize({ width: 1280, height: 800 });
      }
      expect(wrong).toEqual([]);
      expect(window.wrong).toEqual([]);
    });
});

/** The page itself, or what scrolls in it as a page would. */
const tooWide = `[document.documentElement, document.body, document.querySelector("main")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.tagName + " is " + one.scrollWidth + " wide of " + one.clientWidth)`;
