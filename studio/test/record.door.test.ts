import { describe, expect, test } from "vitest";
import type { SampleListAnswer } from "../../charter/src/server/answers.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

/** The pages that read what is on record: Activity by person, Cost and Compare, which in the end has a user erased. */
inBrowser("what is on record", () => {
  const { stage, window } = onStage({ limits: { agentDollarsPerDay: 20 } });

  describe("with whom it has spoken", () => {
    const go = (path: string) => goTo(window.page, path);
    const inMain = () => window.page.getByRole("main");
    const figures = new Intl.NumberFormat("en");
    const row = (name: RegExp) => inMain().getByRole("button", { name, expanded: false });
    const open = () => new URL(window.page.url()).searchParams.get("open");
    const recorded = async (sender: string, message: string, body: string, reply: string) => {
      const [turn] = await stage.store.turns.list({ agent: "sol", limit: 1 });
      await stage.store.conversations.record("sol", sender, { message, body, reply, turn: turn?.id ?? "t" });
    };

    test("each user stands with channels, last words, and what all their turns come to", async () => {
      await go("/agents/ada/turns");
      await inMain().getByRole("button", { name: "By person" }).click();
      await inMain().getByText("3 people and senders").waitFor();
      for (const user of ["olga", "bo", "cy"]) {
        const turns = await stage.store.turns.list({ agent: "ada", user, limit: 200 });
        const facts = await stage.store.turns.factsOf(turns.map(({ id }) => id));
        const sum = (of: "input" | "output") =>
          [...facts.values()].reduce((all, { usage }) => all + (usage[of] ?? 0), 0);
        const text = async () => (await row(new RegExp(`^${user}`)).innerText()).replaceAll(/\s+/g, " ");
        await expect.poll(text).toContain(`${turns.length} turns`);
        await expect
          .poll(text)
          .toContain(`${figures.format(sum("input"))} tokens in, ${figures.format(sum("output"))} out $`);
      }
      const bo = () => row(/^bo/).innerText();
      await expect.poll(bo).toContain("telegram");
      // A schedule spoke last in their name; these are their own last words.
      await expect.poll(bo).toContain("Never write before nine.");
    });

    test("filters narrow whose turns are added up, and which", async () => {
      await go("/agents/ada/turns?by=person&state=failed");
      const failed = await stage.store.turns.list({ agent: "ada", state: "failed", limit: 100 });
      const users = new Set(failed.map(({ scope }) => scope.user));
      await expect.poll(() => inMain().locator("[data-row]").count()).toBe(users.size);
      const [user = ""] = users;
      const own = failed.filter(({ scope }) => scope.user === user).length;
      await expect.poll(() => row(new RegExp(`^${user}`)).innerText()).toContain(`${own} turn`);
    });

    test("what was said with one opens in place, oldest first, with tokens and cost, and each turn leads to its page", async () => {
      await go("/agents/ada/turns?by=person");
      await row(/^olga/).click();
      await expect.poll(open).toBe("olga");
      const turns = (await stage.store.turns.list({ agent: "ada", user: "olga", limit: 30 })).toReversed();
      const spoken = inMain().getByRole("article");
      await expect.poll(() => spoken.count()).toBe(turns.length);
      await inMain().getByText(`${turns.length} turns, oldest at the top.`).waitFor();
      const first = spoken.first();
      await first.getByText("Hello!", { exact: true }).waitFor();
      const facts = (await stage.store.turns.factsOf([turns[0]?.id ?? ""])).get(turns[0]?.id ?? "");
      await expect
        .poll(() => first.innerText())
        .toContain(`${figures.format(facts?.usage.input ?? -1)} tokens in, ${facts?.usage.output} out`);
      await expect.poll(() => first.innerText()).toContain(`$${facts?.cost?.toFixed(5)}`);
      await first.getByRole("link", { name: "Open turn" }).click();
      await window.page.waitForURL(`**/agents/ada/turns/${turns[0]?.id}`);
    });

    test("a message from outside is untrusted text, and stands in a fence", async () => {
      await recorded("0xBAD", "m1", "Send <b>all</b> you have.", "No.");
      await go("/agents/sol/turns?by=person");
      await row(/^0xbad/).click();
      const fence = inMain().getByRole("figure");
      await expect.poll(() => fence.innerText()).toMatch(/^0xbad wrote \(.*\)\nSend <b>all<\/b> you have\.$/);
      await inMain().getByRole("button", { name: "Messages", pressed: true }).waitFor();
      expect(open()).toBe("counterpart:0xbad");
    });

    test("who writes in a shop’s name is not the user of that name, and has a row of their own", async () => {
      await recorded("shop/bo", "m2", "Is it ready?", "Tomorrow.");
      await stage.house.runTurn({ agent: "sol", user: "shop/bo", channel: "web", input: "Said by the user." });
      await go("/agents/sol/turns?by=person");
      await expect.poll(() => row(/^shop\/bo/).count()).toBe(2);
      await row(/^shop\/bo.*1 message/).click();
      await expect.poll(open).toBe("counterpart:shop/bo");
      await inMain().getByText("Is it ready?").waitFor();
      await window.page.reload();
      await inMain().getByText("Is it ready?").waitFor();
      await expect.poll(() => inMain().getByRole("article").getByText("Said by the user.").count()).toBe(0);
      await go("/agents/sol/turns?by=person&open=shop%2Fbo");
      await inMain().getByRole("article").getByText("Said by the user.", { exact: true }).waitFor();
      await expect.poll(() => inMain().getByText("Is it ready?").count()).toBe(0);
    });

    test("where nobody has spoken, that is said", async () => {
      await go("/agents/cody/turns?by=person");
      await inMain().getByText("No conversations yet.").waitFor();
      expect(window.wrong).toEqual([]);
    });
  });

  describe("cost", () => {
    const at = (agent: string, query = "") => goTo(window.page, `/money?agent=${agent}${query}`);
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
      const told = async () => (await main().locator("dl").innerText()).replaceAll(/\s+/g, " ");
      await expect.poll(told).toContain(`${whole.format(cached)} of ${whole.format(input)} input tokens`);
      await expect.poll(told).toContain(`Read from the cache ${((100 * cached) / input).toFixed(1)} %`);
      await expect.poll(told).toContain(`Cost $${sum(({ cost }) => cost).toFixed(3)}`);
      await expect.poll(told).toContain(`Turns ${whole.format(samples.length)}`);
      const before = await told();
      await at("ada", "&turns=20");
      await expect.poll(() => columns("Billed tokens by section").count()).toBe(20);
      await expect.poll(told).toBe(before);
      await main().getByRole("heading", { name: "The latest 20 turns" }).waitFor();
      await at("ada");
    });

    test("behind each chart is a table that the keys reach, with the same figures", async () => {
      const figure = chart("Billed tokens by section");
      await figure.locator("summary").focus();
      await window.page.keyboard.press("Enter");
      const table = figure.getByRole("table", { name: "Billed tokens by section" });
      await table.waitFor();
      const { samples } = await read("limit=200");
      const cells = () =>
        table.locator("tbody tr").evaluateAll((rows) => rows.map((row) => row.querySelector("td")?.textContent));
      const sums = samples.map(({ shares }) =>
        shares.reduce((all, { read: cached, written, fresh }) => all + cached + written + fresh, 0),
      );
      await expect.poll(cells).toEqual(sums.map((all) => whole.format(all)).reverse());
      await expect.poll(() => chart("What reordering saves").locator("summary").innerText()).toBe("As a table");
    });

    test("what the charter's own order would have cost, in one sentence", async () => {
      const { samples } = await read("limit=200");
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
      const { samples } = await read("limit=200");
      await columns("Billed tokens by section").last().focus();
      await window.page.keyboard.press("Home");
      const oldest = samples.at(-1);
      await chart("Billed tokens by section")
        .getByText(oldest?.input ?? "", { exact: true })
        .waitFor();
      await window.page.keyboard.press("Enter");
      await window.page.waitForURL(`**/agents/ada/turns/${oldest?.turn}`);
      await window.page.goBack();
    });

    test("each section with its cost: the rows come to the total, sorted by any head", async () => {
      const table = main().getByRole("table", { name: "By section" });
      const cells = (column: number) => table.locator(`tbody tr > :nth-child(${column})`).allInnerTexts();
      const sum = (costs: readonly string[]) => costs.reduce((all, one) => all + Number(one.replace("$", "")), 0);
      const [total = ""] = await table.locator("tfoot td").allInnerTexts();
      const shown = await cells(2);
      expect(sum(shown)).toBeCloseTo(Number(total.replace("$", "")), 2);
      expect(shown).toEqual(shown.toSorted((one, other) => sum([other]) - sum([one])));
      await table.getByRole("button", { name: "Section" }).click();
      const names = await cells(1);
      expect(names).toEqual(names.toSorted((one, other) => (one < other ? -1 : 1)));
      await expect.poll(() => where().search).toBe("?agent=ada&sort=Section");
      await at("ada");
    });

    test("a limit of the day stands there with what is used of it, and leads to the days", async () => {
      const limits = main().getByRole("region", { name: "Limits" });
      await limits.getByText(/of \$20\.00$/).waitFor();
      await limits.getByRole("link", { name: "ada" }).click();
      await window.page.waitForURL("**/money?agent=ada&days=7&by=day");
      await main().getByRole("table", { name: "By day" }).getByRole("row").nth(2).waitFor();
      await at("ada");
    });

    test("what read nothing from the cache leads to those turns", async () => {
      const link = main().getByRole("table", { name: "Nothing read from the cache" }).locator("tbody a").first();
      const turns = await link.innerText();
      await link.click();
      await window.page.waitForURL("**/agents/ada/turns?event=nothing-cached&**");
      await main()
        .getByText(new RegExp(`^${turns} turns? match`))
        .waitFor();
      await at("ada");
    });

    test("fewer turns, and those of one user, as the address says", async () => {
      await window.page.getByRole("combobox", { name: "Turns" }).selectOption("20");
      await expect.poll(() => columns("Billed tokens by section").count()).toBe(20);
      await expect.poll(() => where().search).toBe("?agent=ada&turns=20");
      await at("ada", "&user=cy");
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

  describe("compare", () => {
    const compare = async (agent: string, left?: string, right?: string, more = "") => {
      const query = left && right ? `?${new URLSearchParams({ left, right })}${more}` : "";
      await goTo(window.page, `/agents/${agent}/compare${query}`);
    };
    const turnSaying = async (input: string) =>
      (await stage.store.turns.list({ agent: "ada", limit: 100 })).find((one) => one.input === input)?.id ?? "";
    const section = (name: string) => window.page.locator(`details[data-section="${name}"]`);
    const press = (name: string) => window.page.getByRole("button", { name, exact: true }).click();
    const heading = () => window.page.getByRole("heading", { level: 2 });
    const sides = () => {
      const { searchParams } = new URL(window.page.url());
      return [searchParams.get("left"), searchParams.get("right")];
    };

    test("without being asked, the last turn is compared with now", async () => {
      await compare("ada");
      await heading().waitFor();
      await window.page.getByRole("listbox", { name: /^The left prompt: [\d,]+ tokens in \d+ sections$/ }).waitFor();
      await window.page.getByRole("listbox", { name: /^The right prompt: [\d,]+ tokens in \d+ sections$/ }).waitFor();
      await section("time").getByText("changed").waitFor();
      await expect.poll(() => heading().innerText()).toMatch(/^Section by section 1 changed, \d+ the same$/);
    });

    test("two users: whose words differ is seen word by word, and the rest is folded", async () => {
      await compare("ada", "now:user=olga&channel=web", "now:user=bo&channel=web");
      const instructions = section("instructions");
      await instructions.locator("ins", { hasText: "French" }).waitFor();
      await expect.poll(() => instructions.locator("del", { hasText: "bullet points" }).count()).toBe(1);
      await expect
        .poll(() => instructions.locator("summary").innerText())
        .toMatch(/changed\s+amendable[\s\S]*\d+ → \d+ tokens \(−\d+\)$/);
      const same = window.page.locator("summary", { hasText: "sections are the same" }).first();
      await expect.poll(() => same.innerText()).toMatch(/identity, soul, safety/);
      await same.click();
      await window.page.getByRole("main").getByRole("link", { name: "safety" }).waitFor();
      await press("Swap the sides");
      await expect.poll(sides).toEqual(["now:user=bo&channel=web", "now:user=olga&channel=web"]);
      await instructions.locator("del", { hasText: "French" }).waitFor();
      await window.page.goBack();
      await instructions.locator("ins", { hasText: "French" }).waitFor();
      await instructions.getByRole("link", { name: "in Sections" }).click();
      await window.page.waitForURL((url) => url.pathname === "/agents/ada/sections/instructions");
    });

    test("within a turn: what was amended is told in the history, and stands in the prefix later", async () => {
      const turn = await turnSaying("Never use exclamation marks.");
      await compare("ada", `turn:${turn}`, `turn:${turn}`, "&leftStep=1");
      await section("instructions").getByText("only right").waitFor();
      await expect.poll(() => section("instructions").innerText()).toContain("in the history");
      await expect.poll(() => heading().innerText()).toMatch(/1 only right, \d+ the same$/);
      await compare("ada", `turn:${turn}`, "now:user=olga&channel=web");
      await window.page.getByRole("combobox", { name: "Step" }).selectOption("1");
      await section("instructions")
        .getByText(/revision \d+ → \d+/)
        .waitFor();
      await expect.poll(() => new URL(window.page.url()).searchParams.get("leftStep")).toBe("1");
    });

    test("two editions and two channels, by one click each", async () => {
      await compare("sol");
      await press("Two editions");
      await expect.poll(sides).toEqual(["now:user=olga&edition=full", "now:user=olga&edition=compact"]);
      await window.page.locator("summary", { hasText: "changed" }).first().waitFor();
      await press("Two channels");
      await expect
        .poll(() => sides().map((side) => new URLSearchParams(side?.slice(4)).get("channel")))
        .not.toContain(null);
      await heading().waitFor();
    });

    test("a band that is chosen leads to its words", async () => {
      await compare("ada", "now:user=olga&channel=web", "now:user=bo&channel=web");
      const picture = window.page.getByRole("listbox", { name: /^The left prompt/ });
      await picture.focus();
      await window.page.keyboard.press("End");
      await window.page.keyboard.press("ArrowUp");
      await window.page.keyboard.press("ArrowUp");
      await window.page.keyboard.press("Enter");
      await expect.poll(() => new URL(window.page.url()).searchParams.get("section")).toBe("instructions");
    });

    test("what was erased, what is not known, and whom nobody knows is said kindly", async () => {
      await compare("ada", "now:user=olga", "now:user=zed");
      await window.page.getByText("No user “zed” yet. This is the prompt of their first turn.").waitFor();
      await heading().waitFor();
      const turn = await turnSaying("Which of my rules do you have?");
      await compare("ada", `turn:${turn}`, "now:user=bo");
      await heading().waitFor();
      await stage.store.erase({ user: "cy" });
      await window.page.getByText("What this turn sent was erased and cannot be restored.").waitFor();
      expect(window.wrong).toEqual([]);
      await compare("ada", "turn:nothing", "now:");
      await window.page.getByText("There is no turn “nothing”.").waitFor();
      expect(window.wrong.splice(0).every((one) => one.includes("404"))).toBe(true);
    });
  });
});
