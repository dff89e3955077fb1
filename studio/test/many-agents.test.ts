import { expect, test } from "vitest";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

const name = (number: number) => `agent-${String(number).padStart(3, "0")}`;

inBrowser("a hundred agents", () => {
  const { window } = onStage({
    lived: false,
    prepare: async ({ store }) => {
      for (let number = 1; number <= 100; number++)
        await store.agents.add({
          ...{ name: name(number), charter: "assistant" },
          ...(number >= 98 ? { label: number === 98 ? "Night shift" : "Front desk" } : {}),
        });
    },
  });
  const page = () => window.page;
  const main = () => page().getByRole("main");
  const names = () => main().getByRole("rowheader").getByRole("link").allInnerTexts();
  const choice = () => page().getByRole("combobox", { name: "Agent" });

  test("are listed fifty at a time, with their number, and found by name or label", async () => {
    await goTo(page(), "/agents");
    await main().getByText("100 agents.").waitFor();
    expect(await main().getByRole("rowheader").count()).toBe(50);
    await main()
      .getByRole("button", { name: "After" })
      .or(main().getByRole("link", { name: "After" }))
      .first()
      .click();
    await main().getByRole("link", { name: "Night shift", exact: true }).waitFor();
    expect(await main().getByRole("rowheader").count()).toBe(50);
    await main().getByRole("searchbox", { name: "Search" }).fill("desk");
    await expect.poll(() => main().getByRole("rowheader").count()).toBe(2);
    expect((await names()).filter((one) => one === "Front desk")).toHaveLength(2);
    await main().getByText("agent-099 ·").waitFor();
  });

  test("the switcher has them all, told apart, goes by keys, and the tab is called after the agent", async () => {
    await goTo(page(), "/agents");
    const options = await choice().locator("option").allInnerTexts();
    expect(options).toHaveLength(101);
    expect(options.slice(-3)).toEqual(["Night shift", "Front desk (agent-099)", "Front desk (agent-100)"]);
    await choice().selectOption("Front desk (agent-100)");
    await page().waitForURL("**/agents/agent-100/prompt**");
    await page().waitForFunction(() => document.title === "Prompt · agent-100 · Charter");
    await choice().focus();
    await page().keyboard.type("agent-042");
    await page().waitForURL("**/agents/agent-042/prompt**");
    await page().waitForFunction(() => document.title === "Prompt · agent-042 · Charter");
  });

  test("on a telephone the list scrolls down, never sideways, and each row can be used", async () => {
    await page().setViewportSize({ width: 360, height: 740 });
    await goTo(page(), "/agents?query=agent-05");
    await expect.poll(() => main().getByRole("rowheader").count()).toBe(10);
    expect(await page().evaluate("document.querySelector('main').scrollWidth <= 361")).toBe(true);
    await main().getByRole("link", { name: "Settings of agent-058" }).click();
    await main().getByRole("heading", { name: "Settings of agent-058" }).waitFor();
    expect(window.wrong).toEqual([]);
  });
});
