import type { BrowserContext, Page } from "playwright-core";
import { openContext } from "../../../charter/test/browser.ts";

export type Window = { readonly page: Page; readonly wrong: string[]; readonly close: () => Promise<void> };

export type WindowOptions = {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** Where the link leads, not the list of agents. */
  readonly follow?: boolean;
};

/** A window of its own, as another person's browser, at the list of agents. What goes wrong in it is in `wrong`. */
export async function openWindow(
  link: string,
  { width = 1280, height = 800, dark = false, follow = false }: WindowOptions = {},
): Promise<Window> {
  const context = await openContext({
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

/** As the link's page does it, without the page one would land on: most tests want another. */
export async function signIn(context: BrowserContext, link: string): Promise<void> {
  const { origin, hash } = new URL(link);
  const headers = { "x-charter-csrf": "1", origin };
  const answer = await context.request.post(`${origin}/sign-in`, { data: { code: hash.slice(1) }, headers });
  if (!answer.ok()) throw new Error(`Signing in failed: ${await answer.text()}`);
}
