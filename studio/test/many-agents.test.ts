import { expect, test } from "vitest";
import { bringAxe, serious } from "./stage/faults.ts";
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

  const listbox = () => page().getByRole("listbox", { name: "Agents" });
  const options = () => listbox().getByRole("option");
  const one = () => listbox().getByRole("option", { selected: true });
  const marked = () => one().innerText();

  test("the switcher finds them by name or label, told apart, and the tab is called after the agent", async () => {
    await goTo(page(), "/agents");
    await choice().click();
    await expect.poll(() => options().count()).toBe(51);
    await page().getByRole("status").getByText("The first 50 of 100 agents. Type to find others.").waitFor();
    await page().keyboard.type("desk");
    await expect.poll(() => options().allInnerTexts()).toEqual(["Front desk (agent-099)", "Front desk (agent-100)"]);
    await options().last().click();
    await page().waitForURL("**/agents/agent-100/prompt**");
    await page().waitForFunction(() => document.title === "Prompt · agent-100 · Charter");
    expect(await choice().inputValue()).toBe("Front desk (agent-100)");
    expect(await options().count()).toBe(0);
  });

  test("it goes by keys: down and up move, Enter goes there, Escape leaves all as it was", async () => {
    await choice().focus();
    await page().keyboard.type("AGENT-04");
    await expect.poll(() => options().count()).toBe(10);
    expect(await marked()).toBe("agent-040");
    await page().keyboard.press("ArrowUp");
    expect(await marked()).toBe("agent-049");
    for (let times = 0; times < 3; times++) await page().keyboard.press("ArrowDown");
    expect(await marked()).toBe("agent-042");
    const described = await choice().getAttribute("aria-activedescendant");
    expect(await one().getAttribute("id")).toBe(described);
    await page().keyboard.press("Enter");
    await page().waitForURL("**/agents/agent-042/prompt**");
    await page().waitForFunction(() => document.title === "Prompt · agent-042 · Charter");
    await page().keyboard.type("nobody");
    await page().getByRole("status").getByText("No agent is called that.").waitFor();
    await page().keyboard.press("Enter");
    await page().keyboard.press("Escape");
    expect([await choice().inputValue(), await choice().getAttribute("aria-expanded")]).toEqual(["agent-042", "false"]);
    await page().keyboard.press("ArrowDown");
    await expect.poll(marked).toBe("All agents");
    await page().keyboard.press("Enter");
    await page().waitForURL("**/agents");
  });

  test("nothing serious is against it while it is open, in the light and in the dark", async () => {
    await bringAxe(page());
    await choice().click();
    await expect.poll(() => options().count()).toBe(51);
    expect(await serious(page())).toEqual([]);
    await page().emulateMedia({ colorScheme: "dark" });
    expect(await serious(page(), ["color-contrast"])).toEqual([]);
    await page().emulateMedia({ colorScheme: "light" });
    await page().keyboard.press("Escape");
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
