import { expect, test } from "vitest";
import type { Turn } from "../../charter/src/store/turns/turn.ts";
import { markup } from "./stage/hostile.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo, settled } from "./stage/places.ts";
import type { Stage } from "./stage/stage.ts";

const long = 120;

/** An agent with more turns than a page shows, without a model having been asked. */
async function addMany({ store }: Stage): Promise<void> {
  await store.agents.add({ name: "many", charter: "assistant" });
  const scope = { agent: "many", user: "dee" };
  for (let number = 1; number <= long; number++) {
    const { id } = await store.turns.open({ scope, input: `Question ${number}`, channel: "web" });
    await store.turns.close(id, { state: "answered", reply: `Answer ${number}`, scope });
  }
}

inBrowser("the list of turns", () => {
  const { stage, window } = onStage({ prepare: addMany });

  const page = () => window.page;
  const main = () => page().getByRole("main");
  const at = (query = "", agent = "ada") => goTo(page(), `/agents/${agent}/turns${query}`);
  const where = () => new URL(page().url());
  const rows = () => main().getByRole("table").locator("tbody tr");
  const turnsOf = (user?: string): Promise<readonly Turn[]> =>
    stage.store.turns.list({ agent: "ada", ...(user ? { user } : {}), limit: 200 });
  const chip = (name: string) => main().getByRole("button", { name, exact: true });
  const opened = () =>
    main()
      .locator("[data-row]")
      .evaluateAll((all) => all.map((one) => one.getAttribute("data-row")));
  const firstTurn = async (turns: readonly Turn[]) => {
    const [top] = await opened();
    return turns.find(({ id }) => id === top);
  };
  const said = (count: number) =>
    main()
      .getByRole("status")
      .filter({ hasText: `${count} turn` });

  test("every turn is a row: when, who, where, what was said, by which model, tokens, cost, duration, state", async () => {
    const turns = await turnsOf();
    await at();
    await said(turns.length).waitFor();
    await expect.poll(() => opened()).toEqual(turns.map(({ id }) => id));
    const facts = await stage.store.turns.factsOf(turns.map(({ id }) => id));
    const amended = turns.find(({ input }) => input === "Never use exclamation marks.") as Turn;
    const { usage, cost } = facts.get(amended.id) as NonNullable<ReturnType<typeof facts.get>>;
    const row = rows().filter({ hasText: "Never use exclamation marks." });
    const text = async () => (await row.innerText()).replaceAll(/\s+/g, " ");
    for (const shown of [
      "olga",
      "web · session",
      "openai/gpt-5",
      "answered",
      "amended",
      "tool",
      `${new Intl.NumberFormat("en").format(usage.input ?? Number.NaN)} in`,
      `${usage.output} out`,
      `$${cost?.toFixed(5).replace(/0+$/, "").slice(0, 6)}`,
    ])
      await expect.poll(text).toContain(shown);
    await expect.poll(text).toMatch(/\d (ms|s)\b/);
    const failed = async () =>
      (await rows().filter({ hasText: "Summarise the news." }).innerText()).replaceAll(/\s+/g, " ");
    await expect.poll(failed).toMatch(/failed – –/);
  });

  test("each filter narrows the list, says how many match, and stands in the address; reloaded, it is the same", async () => {
    const turns = await turnsOf();
    const day = new Date();
    const midnight = new Date(day.getFullYear(), day.getMonth(), day.getDate()).toISOString();
    const before = new Date(day.getFullYear(), day.getMonth(), day.getDate() - 1).toISOString();
    const expected = (keep: (turn: Turn) => boolean) => turns.filter(keep).map(({ id }) => id);
    const shows = async (ids: readonly string[], search: string) => {
      await expect.poll(opened).toEqual(ids);
      await expect.poll(() => where().search).toBe(search);
    };
    await at();
    await chip("Yesterday").click();
    await shows(
      expected(({ startedAt }) => startedAt >= before && startedAt < midnight),
      "?when=yesterday",
    );
    await chip("Failed").click();
    const failed = expected(
      ({ startedAt, state }) => startedAt >= before && startedAt < midnight && state === "failed",
    );
    expect(failed.length).toBeGreaterThan(0);
    await shows(failed, "?when=yesterday&event=failed");
    await page().reload();
    await settled(page());
    await shows(failed, "?when=yesterday&event=failed");
    await expect.poll(() => chip("Failed").getAttribute("aria-pressed")).toBe("true");
    await chip("Clear filters").click();
    await shows(
      expected(() => true),
      "",
    );
    await page().getByRole("combobox", { name: "State" }).selectOption("failed");
    await shows(
      expected(({ state }) => state === "failed"),
      "?state=failed",
    );
    await page().goBack();
    await shows(
      expected(() => true),
      "",
    );
    await main().getByText("More filters").click();
    await main().getByRole("combobox", { name: "Channel" }).fill("telegram");
    await shows(
      expected(({ channel }) => channel === "telegram"),
      "?channel=telegram",
    );
    await main().getByRole("combobox", { name: "Channel" }).fill("");
    await main().getByRole("spinbutton", { name: "Cost from, in dollars" }).fill("0.004");
    await shows(
      expected(({ micros }) => (micros ?? 0) >= 4000),
      "?min-cost=0.004",
    );
    await at("?model=nobody%2Fnothing");
    await main().getByText("No turns match these filters.").waitFor();
  });

  test("words are looked for in input and reply, beginnings of words included", async () => {
    await at();
    await main().getByRole("heading", { level: 1 }).click();
    await page().keyboard.press("/");
    const search = main().getByRole("searchbox", { name: "Words in input or reply" });
    await expect.poll(() => search.evaluate((one) => one === document.activeElement)).toBe(true);
    await page().keyboard.type("landl");
    await expect.poll(() => where().search).toBe("?words=landl");
    await said(1).waitFor();
    await expect.poll(() => rows().innerText()).toContain("Draft a note to the landlord.");
    await search.fill("heating");
    await expect.poll(() => rows().count()).toBe(2);
    await search.fill("xylophone");
    await main().getByText("No turns match these filters.").waitFor();
    await search.fill("...");
    await page().getByRole("alert").getByText("There is no word in “...” to look for.").waitFor();
    await search.fill("");
    await expect.poll(() => where().search).toBe("");
  });

  test("the list is sorted by time, cost and duration", async () => {
    const turns = await turnsOf();
    const sort = page().getByRole("combobox", { name: "Sort" });
    await sort.selectOption("oldest");
    await expect.poll(opened).toEqual(turns.map(({ id }) => id).toReversed());
    await sort.selectOption("cost");
    await expect.poll(() => where().search).toBe("?sort=cost");
    const dearest = Math.max(...turns.map(({ micros }) => micros ?? 0));
    await expect.poll(async () => (await firstTurn(turns))?.micros).toBe(dearest);
    const costs = (await opened()).map((one) => turns.find(({ id }) => id === one)?.micros ?? -1);
    expect(costs).toEqual(costs.toSorted((one, other) => other - one));
    await sort.selectOption("duration");
    await expect.poll(() => where().search).toBe("?sort=duration");
    const took = ({ startedAt, endedAt }: Turn) => Date.parse(endedAt ?? startedAt) - Date.parse(startedAt);
    const longest = Math.max(...turns.map(took));
    await expect.poll(async () => took((await firstTurn(turns)) as Turn)).toBe(longest);
  });

  test("the arrows go from row to row, Enter opens one, and the way back leads to the same list", async () => {
    await at("?user=olga&sort=oldest");
    const turns = (await turnsOf("olga")).toReversed();
    await expect.poll(opened).toEqual(turns.map(({ id }) => id));
    await main().locator("[data-row]").first().focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp", "ArrowDown"]) await page().keyboard.press(key);
    await page().keyboard.press("Enter");
    await expect.poll(() => where().pathname).toBe(`/agents/ada/turns/${turns[2]?.id}`);
    await page().goBack();
    await expect.poll(() => where().search).toBe("?user=olga&sort=oldest");
    await expect.poll(opened).toEqual(turns.map(({ id }) => id));
  });

  test("a long list is paged by the server, with its true length", async () => {
    await at("", "many");
    await said(long).waitFor();
    await expect.poll(() => rows().count()).toBe(50);
    await main().getByText("1–50 of 120", { exact: true }).waitFor();
    await main().getByRole("button", { name: "Older" }).click();
    await main().getByText("51–100 of 120", { exact: true }).waitFor();
    await expect.poll(() => rows().first().innerText()).toContain("Question 70");
    await expect.poll(() => where().search).toBe("?from=50");
    await at("?from=500", "many");
    await main().getByText("The list ends before this page.").waitFor();
  });

  test("by session, each row is what its turns come to; one opens in place, is read as it was spoken, and leads to its rows", async () => {
    await at();
    await chip("By session").click();
    await expect.poll(() => where().search).toBe("?by=session");
    const sessions = await stage.store.sessions.list({ agent: "ada" });
    await expect.poll(opened).toEqual(sessions.map(({ id }) => id));
    const mine = sessions.find(({ scope, channel }) => scope.user === "cy" && channel === "web");
    const row = main().locator(`[data-row="${mine?.id}"]`);
    const figures = new Intl.NumberFormat("en");
    const text = async () => (await row.innerText()).replaceAll(/\s+/g, " ");
    await expect
      .poll(text)
      .toContain(
        `${mine?.turns} turns ${figures.format(mine?.usage.input ?? -1)} tokens in, ${mine?.usage.output} out`,
      );
    await row.focus();
    await page().keyboard.press("Enter");
    await expect.poll(() => where().search).toBe(`?by=session&open=${mine?.id}`);
    const turns = await stage.store.turns.list({ agent: "ada", session: mine?.id as string, limit: 100 });
    await expect.poll(() => main().getByRole("article").count()).toBe(turns.length);
    await page().reload();
    await expect.poll(() => main().getByRole("article").count()).toBe(turns.length);
    await main().getByRole("link", { name: "Its turns as rows" }).click();
    await expect.poll(() => where().search).toBe(`?session=${mine?.id}`);
    await expect.poll(opened).toEqual(turns.map(({ id }) => id));
  });

  test("a turn from elsewhere comes in by itself: filter, place and the row one stands at stay", async () => {
    await at("?user=dee", "many");
    await said(long).waitFor();
    await main().locator("[data-row]").nth(40).focus();
    const focused = await page().evaluate("document.activeElement.getAttribute('data-row')");
    const place = () => main().locator(`[data-row="${focused}"]`).boundingBox();
    const before = await place();
    await stage.house.runTurn({ agent: "many", user: "dee", channel: "web", input: "From elsewhere" });
    await said(long + 1).waitFor();
    await rows().filter({ hasText: "From elsewhere" }).getByText("answered").waitFor();
    expect(where().search).toBe("?user=dee");
    await expect.poll(() => page().evaluate("document.activeElement.getAttribute('data-row')")).toBe(focused);
    await expect.poll(async () => Math.abs(((await place())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(3);
    await page().keyboard.press("ArrowDown");
    await expect.poll(() => opened()).toContain(focused);
    const ids = await opened();
    await expect
      .poll(() => page().evaluate("document.activeElement.getAttribute('data-row')"))
      .toBe(ids[ids.indexOf(focused as string) + 1]);
  });

  test("what is not there is said plainly", async () => {
    await at("?session=nothing");
    await main().getByText("There is no session “nothing” with turns.").waitFor();
    await stage.store.agents.add({ name: "new", charter: "assistant", settings: {} });
    await at("", "new");
    await main().getByText("No turns yet.").waitFor();
    await at("?by=session", "new");
    await main().getByText("No sessions yet.").waitFor();
    await at("?user=zed", "new");
    await main().getByText("“zed” has no turns yet.").waitFor();
    await at("?by=session&sort=duration");
    await page().getByRole("alert").getByText("it is only for turns").waitFor();
    await at("", "nobody");
    await page().getByRole("alert").getByText("nobody").waitFor();
  });

  test("an address nobody could have made is read as far as it can be, and said so", async () => {
    const keys = ["state", "event", "when", "since", "until", "min-cost", "max-cost", "sort"];
    await at(`?${keys.map((key) => `${key}=${encodeURIComponent(markup)}`).join("&")}`, "many");
    await page().getByRole("alert").getByText("8 filters in this address cannot be read").waitFor();
    expect(window.wrong.filter((line) => !/status of (404|422|400)/.test(line))).toEqual([]);
  });
});
