import { afterAll, beforeAll, expect, test } from "vitest";
import { createFolder, type Folder } from "../../charter/test/cli.ts";
import { type StartedDemo, startDemo } from "../../charter/test/demo/start-demo.ts";
import { openWindow, type Window } from "./stage/browser.ts";
import { inBrowser } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

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

  test("its pages say that it is a demo", async () => {
    for (const path of ["/home", "/agents/ada/turns", "/agents/sol/life"]) {
      await goTo(window.page, path);
      await expect
        .poll(() => banner().innerText(), { message: path })
        .toContain("Demo. Everything here is made up, and a script answers.");
    }
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
    await goTo(page, "/approvals?agent=ada");
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

  test("nothing went wrong on any page", () => {
    expect(window.wrong).toEqual([]);
  });
});
