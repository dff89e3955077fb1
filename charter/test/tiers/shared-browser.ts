import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserServer, LaunchOptions } from "playwright-core";
import type { Endpoint } from "../browser.ts";
import { findChromium } from "../chromium.ts";

/** One Chromium for the whole run, launched when a test file first asks for it. Why there is none is said at once. */
export async function shareBrowser(): Promise<{ readonly close: () => Promise<void> }> {
  const found = await findChromium();
  if (typeof found === "string") console.warn(`The tests in a browser are skipped: ${found}.`);
  let launched: Promise<BrowserServer> | undefined;
  const launchOnce = (options: LaunchOptions) => {
    // Should it die, the next one who asks gets another.
    launched ??= launch(options, () => {
      launched = undefined;
    });
    return launched;
  };
  const answer = async (): Promise<Endpoint> =>
    typeof found === "string" ? { missing: found } : { url: (await launchOnce(found)).wsEndpoint() };
  const asked = createServer((_, response) => {
    answer().then(
      (endpoint) => response.end(JSON.stringify(endpoint)),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => asked.listen(0, "127.0.0.1", resolve));
  process.env.CHARTER_TEST_BROWSER = `http://127.0.0.1:${(asked.address() as AddressInfo).port}`;
  const close = async () => {
    await (await launched?.catch(() => undefined))?.close();
    asked.closeAllConnections();
    asked.close();
  };
  return { close };
}

async function launch(options: LaunchOptions, ended: () => void): Promise<BrowserServer> {
  const { chromium } = await import("playwright-core");
  // Signals are Vitest's: it ends the run, and with it what is set up here.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  const server = await chromium.launchServer({ ...options, ...signals, host: "127.0.0.1" });
  server.on("close", ended);
  return server;
}
