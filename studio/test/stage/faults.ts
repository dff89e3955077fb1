import { createRequire } from "node:module";
import type { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { goTo, type Place, settled } from "./places.ts";

const axe = createRequire(import.meta.resolve("@axe-core/playwright"))("axe-core") as { readonly source: string };
type AxeResults = Awaited<ReturnType<AxeBuilder["analyze"]>>;

/** Brings axe into a page, where it stays until that is loaded anew. */
export async function bringAxe(page: Page): Promise<void> {
  await page.evaluate(axe.source);
}

/**
 * What axe has against a view that is serious, in the light and, of its colours, in the dark; and whether it has to be
 * moved sideways on a telephone. `everywhere`: all of axe on the telephone as well.
 */
export async function faultsOf(page: Page, place: Place, everywhere = false): Promise<string[]> {
  await goTo(page, place.path);
  const faults = await serious(page);
  await page.emulateMedia({ colorScheme: "dark" });
  faults.push(...(await serious(page, ["color-contrast"])).map((one) => `dark: ${one}`));
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 360, height: 740 });
  await settled(page);
  faults.push(...((await page.evaluate(tooWide)) as string[]));
  if (everywhere) faults.push(...(await serious(page)).map((one) => `telephone: ${one}`));
  await page.setViewportSize({ width: 1280, height: 800 });
  return faults.map((one) => `${place.name}: ${one}`);
}

/** Which rule, where, and why. */
export async function serious(page: Page, only: readonly string[] = []): Promise<string[]> {
  const options = { resultTypes: ["violations"], ...(only.length === 0 ? {} : { runOnly: only }) };
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`));
}

/** The page itself, or what scrolls in it as a page would. */
export const tooWide = `[document.documentElement, document.body, document.querySelector("main")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.tagName + " is " + one.scrollWidth + " wide of " + one.clientWidth)`;
