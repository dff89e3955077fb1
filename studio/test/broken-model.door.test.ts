import { expect, test } from "vitest";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

/** Nobody listens there. */
const nowhere = "http://127.0.0.1:9/v1";
const broken: readonly (readonly [agent: string, model: string, what: string])[] = [
  ["unknown", "nowhere/none", "a model nobody knows"],
  ["keyless", "openai/gpt-5", "a model whose key is missing"],
  ["unset", "keyed", "a model of one's own whose key is missing"],
  ["unreachable", "local", "a model that cannot be reached"],
];

inBrowser("a broken model", () => {
  const { stage, window } = onStage({
    lived: false,
    models: {
      local: { base: nowhere, model: "none" },
      keyed: { base: nowhere, model: "none", key: "$NOWHERE_KEY" },
    },
    prepare: async ({ store }) => {
      for (const [name, model] of broken) await store.agents.add({ name, charter: "assistant", model });
    },
  });
  const page = () => window.page;
  const main = () => page().getByRole("main");
  const soul = () =>
    main()
      .getByRole("listbox", { name: "The request by tokens" })
      .getByRole("option", { name: /^soul, \d+ tokens/ });

  for (const [agent, , what] of broken)
    test(`${what}: the prompt is shown all the same, of a new conversation and of one that is open`, async () => {
      await goTo(page(), `/agents/${agent}/prompt?user=zoe&channel=web&show=new`);
      await soul().waitFor();
      // The user's instructions stand further down the document than a window shows.
      await main().getByRole("searchbox", { name: "Find in the prompt" }).fill("(No custom instructions set.)");
      await main()
        .getByRole("region", { name: /^The text/ })
        .getByText("(No custom instructions set.)")
        .waitFor();
      await stage.house.runTurn({ agent, user: "zoe", channel: "web", input: "Hello." }).catch(() => undefined);
      await goTo(page(), `/agents/${agent}/prompt?user=zoe&channel=web`);
      await soul().waitFor();
      await expect.poll(() => main().getByRole("slider").count()).toBeLessThanOrEqual(1);
    });

  test("who talks to it is told what is wrong with it before anything is sent", async () => {
    await goTo(page(), "/agents/keyless/chat");
    await main().getByText("OPENAI_API_KEY").first().waitFor();
    await goTo(page(), "/agents/unknown/chat");
    await main().getByText("nowhere").first().waitFor();
  });

  test("an unknown model is refused in the settings, with the way to the place where it is set up", async () => {
    await stage.store.agents.add({ name: "eva", charter: "assistant" });
    await page().reload();
    await goTo(page(), "/agents/eva/settings");
    await main().getByLabel("Model", { exact: true }).selectOption("Another model…");
    await main().getByLabel("Model, as provider/model").fill("nowhere/<b>none</b>");
    await main().getByRole("button", { name: "Save" }).click();
    const told = main().getByRole("alert").filter({ hasText: "nowhere" });
    await told.waitFor();
    const help = main().locator("#models-help");
    await told.getByRole("link", { name: "Where models are set" }).click();
    await help.getByText("Models and keys are set where the server runs").waitFor();
    await expect.poll(() => help.evaluate((one) => one.getBoundingClientRect().top < innerHeight)).toBe(true);
    await expect.poll(async () => (await stage.store.agents.get("eva")).model).toBeNull();
    await expect.poll(() => main().getByLabel("Model, as provider/model").inputValue()).toBe("nowhere/<b>none</b>");
    await expect.poll(() => main().locator("b").count()).toBe(0);
    await main().getByLabel("Model, as provider/model").fill("local");
    await main().getByRole("button", { name: "Save" }).click();
    await main().getByText("Saved.").waitFor();
    await expect.poll(async () => (await stage.store.agents.get("eva")).model).toBe("local");
    expect(window.wrong.filter((line) => !/status of (?:400|401|404|409|422|502|503) /.test(line))).toEqual([]);
  });
});
