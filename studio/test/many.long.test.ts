import { expect, test } from "vitest";
import { scripted } from "../../charter/test/agent/model.ts";
import { pageNames, placeOf } from "../src/app/place.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

/** A charter of 10,000 sections: every page shows what fits, and can be worked with. */
inBrowser("10,000 sections", { timeout: 600_000 }, () => {
  const { stage, window } = onStage({
    lived: false,
    sections: 10_000,
    model: scripted(["Fine."], { window: null }),
    prepare: ({ house }) => house.runTurn({ agent: "many", user: "olga", channel: "web", input: "Hello!" }),
  });
  const page = () => window.page;

  const views: [what: string, path: string][] = [
    ["agents", "/agents"],
    ...pageNames.map((name): [string, string] => [name, placeOf("many", name)]),
  ];
  for (const [what, path] of views)
    test(`${what}: a page of some elements, not of all`, async () => {
      await goTo(page(), path);
      expect(await page().evaluate("document.querySelectorAll('*').length")).toBeLessThan(6000);
      expect(await page().getByRole("alert").count()).toBe(0);
    });

  test("one turn, with all it sent", async () => {
    const [turn] = await stage.store.turns.list({ agent: "many" });
    await goTo(page(), `/agents/many/turns/${turn?.id}`);
    expect(await page().evaluate("document.querySelectorAll('*').length")).toBeLessThan(6000);
  });

  test("one of them is found, written and kept, and is in the next prompt", async () => {
    await goTo(page(), "/agents/many/sections");
    await page().getByRole("searchbox", { name: "Find a section" }).fill("section-05001");
    await page()
      .getByRole("link", { name: /section-05001/ })
      .click();
    const words = page().getByRole("textbox", { name: "Text of “section-05001”" });
    await words.press("Control+End");
    await words.pressSequentially(" Settled.");
    await page().getByRole("button", { name: "Save as revision 1" }).click();
    await page().getByText("It is sent with the next turn.").waitFor();
    await page().getByRole("link", { name: "See it in the prompt" }).click();
    await page().getByRole("searchbox", { name: "Find in the prompt" }).fill("Settled.");
    await page()
      .getByRole("region", { name: /^The text/ })
      .getByText("Settled.")
      .first()
      .waitFor();
    expect(window.wrong).toEqual([]);
  });
});
