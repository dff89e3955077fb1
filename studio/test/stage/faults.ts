import { createRequire } from "node:module";
import type { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { drawn } from "./places.ts";

const axe = createRequire(import.meta.resolve("@axe-core/playwright"))("axe-core") as { readonly source: string };
type AxeResults = Awaited<ReturnType<AxeBuilder["analyze"]>>;

/**
 * What is against a window as it is: all that axe finds serious, in the theme it is in; of the colours, what it finds in
 * the other one, which it is left in; and whether it has to be moved sideways on a telephone. No other rule of axe goes
 * by colours, nor by the width: `on` a telephone only what is drawn nowhere else has to be looked at.
 */
export async function faultsOf(page: Page, name: string, on: "screen" | "telephone" = "screen"): Promise<string[]> {
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe.source);
  if (on === "telephone") await becomeTelephone(page);
  const faults = [...(await serious(page, others)), ...(await serious(page, colours))];
  const isDark = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches");
  await page.emulateMedia({ colorScheme: isDark ? "light" : "dark" });
  faults.push(...(await serious(page, colours)));
  await becomeTelephone(page);
  faults.push(...((await page.evaluate(tooWide)) as string[]));
  await page.setViewportSize({ width: 1280, height: 800 });
  return faults.map((one) => `${name}, ${isDark ? "dark, then light" : "light, then dark"}: ${one}`);
}

async function becomeTelephone(page: Page): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 });
  await drawn(page);
}

/** One element with words of each look: what has the same classes and states, all the way up, has the same colours. */
const looks = `(() => {
  const states = ["class", "style", "disabled", "aria-pressed", "aria-selected", "aria-current", "data-state"];
  const look = (one) =>
    one === null ? "" : look(one.parentElement) + "/" + one.tagName + states.map((name) => one.getAttribute(name));
  const hasWords = (one) =>
    one.matches("input, select, textarea") || [...one.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim());
  const seen = [...document.body.querySelectorAll("*")].filter((one) => hasWords(one) && one.checkVisibility());
  // Of those alike the first is kept: it is on the screen where any of them is.
  return [...new Map(seen.reverse().map((one) => [look(one), one])).values()];
})()`;

type Question = { readonly of: string; readonly asked: object };
const colours: Question = { of: `{ include: ${looks} }`, asked: { runOnly: ["color-contrast"] } };
/** “region” looks at every element and is never serious. */
const off = { enabled: false };
const others: Question = { of: "document", asked: { rules: { region: off, "color-contrast": off } } };

/** Which rule, where, and why. */
async function serious(page: Page, { of, asked }: Question): Promise<string[]> {
  const options = JSON.stringify({ resultTypes: ["violations"], iframes: false, preload: false, ...asked });
  const { violations } = (await page.evaluate(`axe.run(${of}, ${options})`)) as AxeResults;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`));
}

/** The page itself, or what scrolls in it as a page would. */
export const tooWide = `[document.documentElement, document.body, document.querySelector("main")]
  .filter((one) => one !== null && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.tagName + " is " + one.scrollWidth + " wide of " + one.clientWidth)`;
