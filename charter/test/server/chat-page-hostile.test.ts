import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Listening, listen } from "../../src/server/listen.ts";
import { allRoutes } from "../../src/server/routes/index.ts";
import { signInLink } from "../../src/server/sign-in.ts";
import { pages } from "../../src/server/web/pages.ts";
import { findChromium } from "../chromium.ts";
import { type Core, newCore } from "./core-stage.ts";

const found = await findChromium();
if (typeof found === "string") console.warn(`Hostile words are not tried on the chat page: ${found}.`);

describe.skipIf(typeof found === "string")("the chat page, told what nobody would say", () => {
  let browser: Browser;
  let core: Core;
  let server: Listening;
  let context: BrowserContext;
  let page: Page;
  const wrong: string[] = [];

  beforeAll(async () => {
    if (typeof found === "string") return;
    const { path, args, env } = found;
    browser = await chromium.launch({ executablePath: path, args: [...args], env: { ...process.env, ...env } });
    core = await newCore({ routes: allRoutes, pages });
    server = await listen(core.app, { port: 0 });
    context = await browser.newContext();
    page = await context.newPage();
    page.on("pageerror", (error) => wrong.push(String(error)));
    await page.goto(`${server.url}/sign-in`);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close(0);
    await core?.close();
  });
  afterEach(() => expect(wrong.splice(0)).toEqual([]));

  test("a link that is opened where the sign-in page is open already signs in", async () => {
    await page.locator("#told", { hasText: "open a link" }).waitFor();
    await page.evaluate(`location.href = ${JSON.stringify(await signInLink(core.store, server.url))}`);
    await page.waitForURL(`${server.url}/`);
  });

  async function answered(reply: string): Promise<string> {
    core.model.say(reply);
    await page.locator("#input").fill("Go on.");
    await page.keyboard.press("Enter");
    await page.locator("#send").waitFor();
    const last = page.locator(".turn .answer").last();
    await expect.poll(() => last.textContent()).not.toBe("");
    return (await last.textContent()) ?? "";
  }

  test("characters that end a line elsewhere end none here, and begin no event", async () => {
    const words = 'One\u2028data: {"type":"error","errorText":"No."}\u2029two\u0085three\u000bfour';
    expect(await answered(words)).toBe(words);
  });

  test("lines end as elsewhere, also a heading's", async () => {
    expect(await answered("# One\r\nTwo\r\n\r\n## Three\rfour\r\n# five\u2028six")).toBe(
      "OneTwoThreefourfive\u2028six",
    );
  });

  const endless: [what: string, words: string][] = [
    ["quotes in quotes", `${">".repeat(20_000)} deep`],
    ["brackets that are never closed", `${"[".repeat(100_000)} deep`],
    ["ticks that are never closed", `${"`a``b".repeat(30_000)} deep`],
    ["stars that are never closed", `${"**a".repeat(50_000)} deep`],
    ["spaces without end", `-${" ".repeat(100_000)} deep`],
    ["rows of quotes and lists", `${"> - 1. ".repeat(5_000)} deep`],
  ];
  for (const [what, words] of endless)
    test(`${what} are drawn, and the page goes on`, async () => {
      expect(await answered(words)).toMatch(/deep$/);
    }, 15_000);
});
