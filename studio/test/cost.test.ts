import { expect, test } from "vitest";
import type { SampleListAnswer } from "../../charter/src/server/schemas/answers.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

inBrowser("cost", () => {
  const { stage, window } = onStage();

  const at = (agent: string, query = "") => goTo(window.page, `/agents/${agent}/cost${query}`);
  const where = () => new URL(window.page.url());
  const main = () => window.page.getByRole("main");
  const chart = (title: string) =>
    main().locator("section", { has: window.page.getByRole("heading", { name: title }) });
  const read = (query: string) =>
    window.page.evaluate(
      async (path) => (await fetch(path)).json(),
      `/api/agents/ada/samples?${query}`,
    ) as Promise<SampleListAnswer>;
  const columns = (title: string) => chart(title).getByRole("list", { name: /turn/ }).getByRole("link");
  const whole = new Intl.NumberFormat("en");

  test("what all turns were billed, how much of it was read from the cache, and what it cost", async () => {
    await at("ada");
    await main().getByText("Read from the cache").first().waitFor();
    const { samples, more } = await read("limit=200");
    expect(more).toBe(false);
    const sum = (of: (one: (typeof samples)[number]) => number | null) =>
      samples.reduce((all, one) => all + (of(one) ?? 0), 0);
    const input = sum(({ usage }) => usage.input);
    const cached = sum(({ usage }) => usage.read);
    const told = (await main().locator("dl").innerText()).replaceAll(/\s+/g, " ");
    expect(told).toContain(`${whole.format(cached)} of ${whole.format(input)} input tokens`);
    expect(told).toContain(`Read from the cache ${((100 * cached) / input).toFixed(1)} %`);
    expect(told).toContain(`Cost $${sum(({ cost }) => cost).toFixed(3)}`);
    expect(told).toContain(`Turns ${whole.format(samples.length)}`);
    await at("ada", "?turns=20");
    await expect.poll(() => columns("Billed tokens by section").count()).toBe(20);
    expect((await main().locator("dl").innerText()).replaceAll(/\s+/g, " ")).toBe(told);
    await main().getByRole("heading", { name: "The latest 20 turns" }).waitFor();
    await at("ada");
  });

  test("behind each chart is a table that the keys reach, with the same figures", async () => {
    const figure = chart("Billed tokens by section");
    await figure.locator("summary").focus();
    await window.page.keyboard.press("Enter");
    const table = figure.getByRole("table", { name: "Billed tokens by section" });
    await table.waitFor();
    const { samples } = await read("limit=50");
    const cells = await table
      .locator("tbody tr")
      .evaluateAll((rows) => rows.map((row) => row.querySelector("td")?.textContent));
    const sums = samples.map(({ shares }) =>
      shares.reduce((all, { read: cached, written, fresh }) => all + cached + written + fresh, 0),
    );
    expect(cells).toEqual(sums.map((all) => whole.format(all)).reverse());
    for (const title of ["Read from the cache", "Dollars per turn", "What reordering saves"])
      expect(await chart(title).locator("summary").innerText()).toBe("As a table");
  });

  test("what the charter's own order would have cost, in one sentence", async () => {
    const { samples } = await read("limit=50");
    const known = samples.filter(({ ownOrder, usage }) => ownOrder !== null && usage.input !== null);
    const ours = known.reduce((all, { usage }) => all + (usage.input ?? 0) - (usage.read ?? 0), 0);
    const own = known.reduce((all, { ownOrder }) => all + (ownOrder?.fresh ?? 0) + (ownOrder?.written ?? 0), 0);
    await chart("What reordering saves")
      .getByText(
        `As delivered: ${whole.format(ours)} tokens billed as fresh or written in ${known.length} turns; in the charter’s order it would have been ${whole.format(own)}: ${(own / ours).toFixed(1)} ×.`,
      )
      .waitFor();
  });

  test("the arrows walk along a chart, what one looks at is told, and Enter opens the turn", async () => {
    const { samples } = await read("limit=50");
    await columns("Read from the cache").last().focus();
    await window.page.keyboard.press("Home");
    const oldest = samples.at(-1);
    await chart("Read from the cache")
      .getByText(oldest?.input ?? "", { exact: true })
      .waitFor();
    await window.page.keyboard.press("Enter");
    await window.page.waitForURL(`**/agents/ada/turns/${oldest?.turn}`);
    await window.page.goBack();
  });

  test("fewer turns, and those of one user, as the address says", async () => {
    await window.page.getByRole("combobox", { name: "Turns" }).selectOption("20");
    await expect.poll(() => columns("Billed tokens by section").count()).toBe(20);
    await expect.poll(() => where().search).toBe("?turns=20");
    await at("ada", "?user=cy");
    const { samples } = await read("user=cy");
    await expect.poll(() => columns("Billed tokens by section").count()).toBe(samples.length);
  });

  test("an agent that never took a turn is told how to take one", async () => {
    await stage.store.agents.add({ name: "new", charter: "assistant", settings: {} });
    await at("new");
    await main().getByText("No turns yet.").waitFor();
    await main().getByRole("link", { name: "Start a conversation" }).click();
    await window.page.waitForURL("**/agents/new/chat");
    expect(window.wrong).toEqual([]);
  });
});
