import { expect, test } from "vitest";
import { standInReceiver } from "../../charter/src/delivery/stand-in.ts";
import { loadTokenizer } from "../../charter/src/delivery/tokenizer.ts";
import { assemble, gather } from "../../charter/src/index.ts";
import { scripted } from "../../charter/test/agent/model.ts";
import { some, times } from "../../charter/test/tiers/search.ts";
import { pageNames, placeOf } from "../src/app/place.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";
import { drawLimit, everywhere } from "./stage/slider.ts";

/** 10,000 in the whole search. */
const sections = times(10_000, 1_000);

inBrowser(`a charter of ${sections} sections: every page shows what fits, and can be worked with`, () => {
  const { stage, window } = onStage({
    lived: false,
    sections,
    model: scripted(["Fine."], { window: null, tokenizer: standInReceiver.tokenizer }),
    prepare: ({ house }) => house.runTurn({ agent: "many", user: "olga", channel: "web", input: "Hello!" }),
  });
  const page = () => window.page;
  const expectSome = async () => {
    await expect.poll(() => page().evaluate("document.querySelectorAll('*').length")).toBeLessThan(6000);
    await expect.poll(() => page().getByRole("alert").count()).toBe(0);
  };

  const views: [what: string, path: string][] = [
    ["agents", "/home"],
    ...pageNames.map((name): [string, string] => [name, placeOf("many", name)]),
  ];
  test.for(some(views, 3))("%s: a page of some elements, not of all", async ([, path]) => {
    await goTo(page(), path);
    await expectSome();
  });

  test("one turn, with all it sent", async () => {
    const [turn] = await stage.store.turns.list({ agent: "many" });
    await goTo(page(), `/agents/many/turns/${turn?.id}`);
    await expectSome();
  });

  test("one of them is found, written and kept, and is in the next prompt", async () => {
    const name = `section-${String(sections / 2 + 1).padStart(5, "0")}`;
    await goTo(page(), "/agents/many/sections");
    await page().getByRole("searchbox", { name: "Find a section" }).fill(name);
    await page()
      .getByRole("link", { name: new RegExp(name) })
      .click();
    const words = page().getByRole("textbox", { name: `Text of “${name}”` });
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
  });

  // How long each move holds the page up is measured by `npm run bench -- --only studio`.
  test("the limit is drawn: the picture follows, and is in the end what assemble says here, in Node", async () => {
    const at = "2026-02-18T15:04:00.000Z";
    await goTo(page(), `/agents/many/prompt?at=${at}`);
    await page().getByRole("listbox", { name: "The request by tokens" }).waitFor();
    await drawLimit(page(), everywhere, times(15));
    await expectSome();
    const tokens = Number(new URL(page().url()).searchParams.get("tokens"));
    const { declaredTurn } = await stage.house.snapshot({ agent: "many", at });
    const tokenizer = await loadTokenizer(standInReceiver.tokenizer.name);
    const gathered = await gather(declaredTurn.charter, declaredTurn.turn);
    const prompt = assemble(declaredTurn.charter, gathered, { tokens, tokenizer });
    const { total } = prompt.tokens(tokenizer);
    expect(total).toBeLessThanOrEqual(tokens);
    await page()
      .getByText(`${total.toLocaleString("en")} tokens`, { exact: true })
      .first()
      .waitFor();
    await expect
      .poll(() => page().locator("main").textContent())
      .toContain(`in ${prompt.sections.length.toLocaleString("en")} sections`);
    expect(window.wrong).toEqual([]);
  });
});
