import type { Locator } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

/** So many clicks a question takes, as docs/studio.md says. */
const clicks: Record<string, number> = {};

inBrowser("four questions of an operator, from the list of agents on", () => {
  const { stage, window } = onStage();
  const page = () => window.page;
  const main = () => page().getByRole("main");
  let count = 0;
  const click = async (thing: Locator) => {
    await thing.click();
    count++;
  };
  /** An agent's page: by a link of its own on the list, or by the agent's name and the menu. */
  const open = async (agent: string, name: string) => {
    await goTo(page(), "/agents");
    count = 0;
    const own = main().locator(`a[href^="/agents/${agent}/${name.toLowerCase()}"]`);
    await main().locator(`a[href^="/agents/${agent}/"]`).first().waitFor();
    if ((await own.count()) > 0) return click(own.first());
    await click(main().locator(`a[href^="/agents/${agent}/"]`).first());
    await click(page().getByRole("navigation", { name: "Pages" }).getByRole("link", { name }));
  };

  test("why did it say that? The turn shows what it was told, and what it did", async () => {
    await open("ada", "Turns");
    await click(main().getByRole("row").filter({ hasText: "Move the dentist to Friday." }).getByRole("link").first());
    await main().getByText("Move the dentist to Friday.").first().waitFor();
    await main().getByText("Friday at nine is free.").first().waitFor();
    clicks["Why did it say that?"] = count;
  });

  test("who changed its goals? The section’s history names the author, the reason and the turn", async () => {
    const [change] = await stage.store.history.list({ agent: "art" }, "prompt");
    expect(change?.actor).toBe("agent");
    await open("art", "Sections");
    await click(main().locator(`a[href^="/agents/art/sections/prompt"]`).first());
    const history = main().locator(`a[href*="/turns/${change?.turn}"]`).first();
    await history.waitFor();
    await main().getByText("agent", { exact: true }).first().waitFor();
    clicks["Who changed its goals?"] = count;
  });

  test("which turns failed yesterday? Two filters", async () => {
    await open("ada", "Turns");
    await click(main().getByRole("button", { name: "Yesterday" }));
    await click(main().getByRole("button", { name: "Failed" }));
    await main()
      .getByRole("status")
      .filter({ hasText: /^1 turn matches$/ })
      .waitFor();
    await main().getByText("Summarise the news.").waitFor();
    clicks["Which turns failed yesterday?"] = count;
  });

  test("what waits for me? The approvals", async () => {
    await open("ada", "Approvals");
    await main()
      .getByRole("button", { name: /^Approve/ })
      .first()
      .waitFor();
    clicks["What waits for me?"] = count;
  });

  afterAll(() => {
    if (Object.keys(clicks).length === 4)
      expect(clicks).toEqual({
        "Why did it say that?": 2,
        "Who changed its goals?": 2,
        "Which turns failed yesterday?": 3,
        "What waits for me?": 1,
      });
  });
});
