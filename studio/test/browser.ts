import { type Browser, chromium, type Page } from "playwright-core";
import { findChromium } from "../../charter/test/chromium.ts";

export const found = await findChromium();

/** Why tests in a browser are skipped; nothing where they are not. */
export const noBrowser: string | undefined = typeof found === "string" ? found : undefined;
if (noBrowser !== undefined) console.warn(`The tests of the studio in a browser are skipped: ${noBrowser}.`);

let browser: Promise<Browser> | undefined;

/** One browser for all files that a worker runs: starting one costs more than most tests. */
export function launch(): Promise<Browser> {
  if (typeof found === "string") throw new Error(found);
  const { path, args, env } = found;
  browser ??= chromium.launch({ executablePath: path, args: [...args], env: { ...process.env, ...env } });
  return browser;
}

export type Window = { readonly page: Page; readonly wrong: string[]; readonly close: () => Promise<void> };

/** A window of its own, as another person's browser. What goes wrong in it is written down in `wrong`. */
export async function openWindow(
  link: string,
  { width = 1280, height = 800, dark = false }: { width?: number; height?: number; dark?: boolean } = {},
): Promise<Window> {
  const context = await (await launch()).newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("dialog", (dialog) => {
    wrong.push(`A dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(link);
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
  return { page, wrong, close: () => context.close() };
}
