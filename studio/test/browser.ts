import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
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

/** As the link's page does it, without the page one would land on: most tests want another. */
async function signIn(context: BrowserContext, link: string): Promise<void> {
  const { origin, hash } = new URL(link);
  const headers = { "x-charter-csrf": "1", origin };
  const answer = await context.request.post(`${origin}/sign-in`, { data: { code: hash.slice(1) }, headers });
  if (!answer.ok()) throw new Error(`Signing in failed: ${await answer.text()}`);
}

/**
 * A window of its own, as another person's browser, at the list of agents; `follow`: where the link leads. What goes wrong
 * in it is written down in `wrong`.
 */
export async function openWindow(
  link: string,
  {
    width = 1280,
    height = 800,
    dark = false,
    follow = false,
  }: { width?: number; height?: number; dark?: boolean; follow?: boolean } = {},
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
  if (follow) await page.goto(link);
  else {
    await signIn(context, link);
    await page.goto(`${new URL(link).origin}/agents`);
  }
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
  return { page, wrong, close: () => context.close() };
}
