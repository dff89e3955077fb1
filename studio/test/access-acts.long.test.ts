import { afterAll, beforeAll, expect, test } from "vitest";
import { createFolder, type Folder } from "../../charter/test/cli.ts";
import { type StartedDemo, startDemo } from "../../charter/test/demo/start-demo.ts";
import { openWindow, type Window } from "./stage/browser.ts";
import { bringAxe, faultsOf, serious, tooWide } from "./stage/faults.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

/** What axe has against a window as it is, in both themes and on a telephone, where nothing may be too wide. */
async function faultsNow({ page }: Pick<Window, "page">): Promise<string[]> {
  await bringAxe(page);
  const faults: string[] = [];
  for (const width of [1280, 360])
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      faults.push(...(await serious(page)).map((one) => `${width} ${colorScheme}: ${one}`));
      if (width === 360 && (await page.locator("main").count()) > 0)
        faults.push(...((await page.evaluate(tooWide)) as string[]));
    }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: "light" });
  return faults;
}

/** Views that are there only once something was done on them; access.long.test.ts looks at the others. */
inBrowser("pages on which something is going on", { timeout: 600_000 }, () => {
  const { stage, window } = onStage();
  const page = () => window.page;
  const main = () => page().getByRole("main");

  test("an approval that is being edited, and one that is being rejected", async () => {
    await goTo(page(), "/agents/ada/approvals");
    await main().getByRole("button", { name: /^Edit/ }).first().click();
    await main()
      .getByText(/Checks passed|objection/)
      .first()
      .waitFor();
    expect(await faultsNow(window)).toEqual([]);
    await main().getByRole("button", { name: "Cancel" }).click();
    await main()
      .getByRole("button", { name: /^Reject/ })
      .first()
      .click();
    expect(await faultsNow(window)).toEqual([]);
  });

  test("the list of conversations, and why a reply came", async () => {
    await goTo(page(), "/agents/ada/chat");
    await main().getByRole("button", { name: "Why this reply?" }).last().click();
    expect(await faultsNow(window)).toEqual([]);
    await main().getByRole("button", { name: "Conversations" }).click();
    await page().getByRole("list", { name: "Conversations" }).waitFor();
    expect(await faultsNow(window)).toEqual([]);
    await page().keyboard.press("Escape");
  });

  test("settings that are refused", async () => {
    await goTo(page(), "/agents/ada/settings");
    await main().getByLabel("Largest request, in tokens").fill("many");
    await main().getByRole("button", { name: "Save" }).click();
    await main().getByRole("alert").first().waitFor();
    expect(await faultsNow(window)).toEqual([]);
    await main().getByRole("button", { name: "Discard changes" }).click();
  });

  test("turns with every filter open, an address nobody knows, and the first steps", async () => {
    await goTo(page(), "/agents/ada/turns?when=yesterday&channel=web&minCost=0");
    expect(await faultsNow(window)).toEqual([]);
    await goTo(page(), "/agents/ada/nothing-here");
    expect(await faultsNow(window)).toEqual([]);
    await goTo(page(), "/start");
    expect(await faultsNow(window)).toEqual([]);
  });

  test("signing in, and the server's own page for an address it does not know", async () => {
    const alone = await openWindow(await stage.link());
    // A page of the studio would go to the sign-in page by itself as well, at a moment of its own.
    await alone.page.goto("about:blank");
    await alone.page.context().clearCookies();
    await alone.page.goto(`${stage.url}/sign-in`);
    expect(await faultsNow(alone)).toEqual([]);
    await alone.page.goto(`${stage.url}/no/such/page`);
    expect(await faultsNow(alone)).toEqual([]);
    await alone.close();
  });
});

inBrowser("the demo's pages", { timeout: 600_000 }, () => {
  let folder: Folder;
  let demo: StartedDemo;
  let window: Window;
  beforeAll(async () => {
    folder = createFolder();
    demo = await startDemo({ cwd: folder.path });
    window = await openWindow(demo.link, { follow: true });
    await bringAxe(window.page);
  });
  afterAll(async () => {
    await window?.close();
    await demo?.stop();
    folder?.remove();
  });

  const pages = [
    "prompt",
    "sections",
    "turns",
    "compare",
    "cost",
    "chat",
    "memory",
    "approvals",
    "schedules",
    "settings",
  ];
  for (const path of ["/agents", ...pages.map((name) => `/agents/ada/${name}`), "/agents/sol/life"])
    test(`${path}: nothing serious is against it, and on a telephone nothing is too wide`, async () => {
      expect(await faultsOf(window.page, { name: path, page: path, path, main: true }, true)).toEqual([]);
    });
});
