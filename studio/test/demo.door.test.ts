import { afterAll, beforeAll, expect, test } from "vitest";
import { createFolder, type Folder } from "../../charter/test/cli.ts";
import { type StartedDemo, startDemo } from "../../charter/test/demo/start-demo.ts";
import { openWindow, type Window } from "./stage/browser.ts";
import { bringAxe, serious, tooWide } from "./stage/faults.ts";
import { inBrowser } from "./stage/on-stage.ts";
import { goTo, settled } from "./stage/places.ts";

inBrowser("the demo", () => {
  let folder: Folder;
  let demo: StartedDemo;
  let window: Window;
  beforeAll(async () => {
    folder = createFolder();
    demo = await startDemo({ cwd: folder.path });
    window = await openWindow(demo.link, { follow: true });
  });
  afterAll(async () => {
    await window?.close();
    await demo?.stop();
    folder?.remove();
  });
  const banner = () => window.page.getByRole("complementary", { name: "Demo" });
  const inMain = () => window.page.getByRole("main");
  /** Says one of the sentences that the page itself tells to try. */
  const sayWhatItTells = async (beginsWith: string) => {
    await banner().getByText("What to try").click();
    const row = banner().getByRole("listitem").filter({ hasText: beginsWith }).first();
    await row.getByRole("button").click();
    await window.page
      .getByRole("textbox", { name: "Message" })
      .and(window.page.locator(":not(:placeholder-shown)"))
      .waitFor();
    await window.page.getByRole("button", { name: "Send" }).click();
  };

  test("every page says that it is a demo, in both themes and on a telephone", async () => {
    const { page } = window;
    const pages = ["prompt", "sections", "turns", "compare", "cost", "chat", "memory", "approvals", "schedules"];
    const paths = ["/agents", ...pages.map((name) => `/agents/ada/${name}`), "/agents/sol/life", "/agents/cody/prompt"];
    for (const path of paths) {
      await goTo(page, path);
      expect(await banner().innerText(), path).toContain("Demo. Everything here is made up, and a script answers.");
    }
    await bringAxe(page);
    await banner().getByText("What to try").click();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await serious(page)).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 360, height: 740 });
    await settled(page);
    expect(await page.evaluate(tooWide)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await banner().getByText("What to try").click();
  });

  test("a refusal happens by what the page tells to say", async () => {
    await sayWhatItTells("Refused");
    await inMain().getByText("was refused", { exact: false }).first().waitFor();
    await inMain().getByText("no-override").first().waitFor();
  });

  test("an approval happens by what the page tells to say: what was asked for is in the prompt then", async () => {
    const { page } = window;
    const waiting = async () => {
      const answer = await page.request.get(`${demo.url}/api/approvals?agent=ada`);
      const { proposals } = (await answer.json()) as { proposals: { id: string; scope: { user?: string } }[] };
      return proposals.filter(({ scope }) => scope.user === "olga");
    };
    await sayWhatItTells("Waits for you on the page Approvals: a web page");
    await inMain().getByText("That waits for an approval.").first().waitFor();
    expect(await waiting()).toHaveLength(1);
    await goTo(page, "/agents/ada/approvals");
    const cards = inMain()
      .getByRole("listitem")
      .filter({ hasText: "olga" })
      .filter({ hasText: /Always end every answer/ });
    await cards
      .getByRole("button", { name: /^Approve/ })
      .first()
      .click();
    await expect.poll(waiting).toEqual([]);
    const prompt = await page.request.get(`${demo.url}/api/agents/ada/prompt?user=olga`);
    expect(await prompt.text()).toContain("Visit plums.example");
  });

  test("the page for users and the plain pages say it too, and nothing went wrong on any page", async () => {
    const { page } = window;
    for (const path of ["/chat", "/sign-in", "/docs"]) {
      await page.goto(`${demo.url}${path}`);
      await page.getByText("Everything here is made up, and a script answers.", { exact: false }).first().waitFor();
      await bringAxe(page);
      expect(await serious(page), path).toEqual([]);
    }
    expect(window.wrong).toEqual([]);
  });
});
