import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserServer } from "playwright-core";
import type { Endpoint } from "./browser.ts";
import { findChromium } from "./chromium.ts";

/**
 * One Chromium for the whole run, launched when a test file first asks for it; and one folder for what the files make
 * once and copy. Both are gone after the run.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "charter-run-"));
  let launched: Promise<BrowserServer | string> | undefined;
  const launchOnce = () => {
    launched ??= launch(() => {
      launched = undefined;
    });
    return launched;
  };
  const asked = createServer((_, response) => {
    launchOnce().then(
      (browser) => response.end(JSON.stringify(endpointOf(browser))),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => asked.listen(0, "127.0.0.1", resolve));
  process.env.CHARTER_TEST_BROWSER = `http://127.0.0.1:${(asked.address() as AddressInfo).port}`;
  process.env.CHARTER_TEST_FOLDER = folder;
  return async () => {
    const browser = await launched?.catch(() => undefined);
    if (browser && typeof browser !== "string") await browser.close();
    asked.closeAllConnections();
    asked.close();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** A Chromium that others connect to, or the reason why there is none, which is printed once. */
async function launch(ended: () => void): Promise<BrowserServer | string> {
  const found = await findChromium();
  if (typeof found === "string") {
    console.warn(`The tests in a browser are skipped: ${found}.`);
    return found;
  }
  const { chromium } = await import("playwright-core");
  // Signals are Vitest's: it ends the run, and with it what is set up here.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  const server = await chromium.launchServer({ ...found, ...signals, host: "127.0.0.1" });
  // Should it die, the next one who asks gets another.
  server.on("close", ended);
  return server;
}

function endpointOf(browser: BrowserServer | string): Endpoint {
  return typeof browser === "string" ? { missing: browser } : { url: browser.wsEndpoint() };
}
