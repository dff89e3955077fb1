import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";
import { findChromium } from "./chromium.ts";
import { counts } from "./tiers/counts.ts";

/** Where the run's one Chromium is reached, or why there is none. */
export type Endpoint = { readonly url: string } | { readonly missing: string };

/** Where a run of the tests is asked for its Chromium (tiers/shared-browser.ts); a script launches one of its own. */
const askAt = process.env.CHARTER_TEST_BROWSER;

/** Why tests in a browser are skipped; nothing where they are not. */
export const noBrowser: string | undefined = await reasonForNone();

let browser: Promise<Browser> | undefined;

/** The run's one Chromium; in a script the one it launched. */
export function openBrowser(): Promise<Browser> {
  browser ??= askAt === undefined ? launch() : connect(askAt);
  return browser;
}

/** What a click or a look waits for, on a machine with much else to do; a test as a whole may take longer. */
const patience = 90_000;

/** A context of its own, as another person's browser: it shares nothing with those of other tests. */
export async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  counts.windows++;
  const context = await (await openBrowser()).newContext(options);
  context.setDefaultTimeout(patience);
  return context;
}

async function reasonForNone(): Promise<string | undefined> {
  if (askAt !== undefined) {
    const endpoint = await ask(askAt);
    return "missing" in endpoint ? endpoint.missing : undefined;
  }
  const found = await findChromium();
  return typeof found === "string" ? found : undefined;
}

async function ask(at: string): Promise<Endpoint> {
  const answer = await fetch(at);
  if (!answer.ok) throw new Error(`Chromium did not start: ${await answer.text()}`);
  return (await answer.json()) as Endpoint;
}

async function launch(): Promise<Browser> {
  const found = await findChromium();
  if (typeof found === "string") throw new Error(found);
  return chromium.launch(found);
}

async function connect(at: string): Promise<Browser> {
  const endpoint = await ask(at);
  if ("missing" in endpoint) throw new Error(endpoint.missing);
  const connected = await chromium.connect(endpoint.url);
  connected.on("disconnected", () => {
    browser = undefined;
  });
  return connected;
}
