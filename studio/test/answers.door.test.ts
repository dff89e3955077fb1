import type { Locator } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { dollars } from "../src/kit/words.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

/** So many clicks a question takes, as docs/studio.md says. */
const clicks: Record<string, number> = {};

type Step = { step: number; usage: { input: number; read: number } | null; cache: { says: string } | null };

inBrowser("a house that was lived in", () => {
  const { stage, window } = onStage({
    follow: true,
    prepare: ({ store }) => store.agents.add({ name: "short", charter: "assistant", model: "openai/gpt-5" }),
  });
  const page = () => window.page;
  const main = () => page().getByRole("main");

  test("begins with its agents; its first steps stay at their address", async () => {
    await page().waitForURL(/\/home$/);
    await goTo(page(), "/start");
    await page().getByRole("heading", { name: "First steps", level: 1 }).waitFor();
  });

  describe("questions of an operator, from Home on", () => {
    let count = 0;
    const click = async (thing: Locator) => {
      await thing.click();
      count++;
    };
    const agents = () => main().getByRole("table", { name: "Agents" });
    /** An agent's page: by a link of its own on the list, or by the agent's name and the menu. */
    const open = async (agent: string, name: string) => {
      await goTo(page(), "/home");
      count = 0;
      const own = agents().locator(`a[href^="/agents/${agent}/${name === "Activity" ? "turns" : name.toLowerCase()}"]`);
      await agents().locator(`a[href^="/agents/${agent}/"]`).first().waitFor();
      if ((await own.count()) > 0) return click(own.first());
      await click(agents().locator(`a[href^="/agents/${agent}/"]`).first());
      await click(page().getByRole("navigation", { name: "Pages" }).getByRole("link", { name }));
    };

    test("why did it say that? The turn shows what it was told, and what it did", async () => {
      await open("ada", "Activity");
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
      await open("ada", "Activity");
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
      await goTo(page(), "/home");
      count = 0;
      await main()
        .getByRole("button", { name: /^Approve/ })
        .first()
        .waitFor();
      clicks["What waits for me?"] = count;
    });

    test("what does bo cost me? Their row has what was spent for them with every agent", async () => {
      await goTo(page(), "/home");
      count = 0;
      await click(page().getByRole("link", { name: "People" }));
      const row = main()
        .getByRole("row")
        .filter({ has: page().getByRole("link", { name: "bo", exact: true }) });
      await row.waitFor();
      const { users } = await stage.store.overview.money({ user: "bo" });
      const cell = () => row.getByRole("cell").nth(1).innerText();
      await expect.poll(cell).toBe(dollars((users[0]?.micros ?? 0) / 1e6));
      clicks["What does bo cost me, over all agents?"] = count;
    });

    test("forget this person: with their name typed, one agent or all", async () => {
      await goTo(page(), "/home");
      count = 0;
      await click(page().getByRole("link", { name: "People" }));
      await click(main().getByRole("link", { name: "cy", exact: true }));
      await click(main().getByRole("button", { name: "Erase…" }));
      const asked = page().getByRole("dialog");
      await expect.poll(() => asked.getByRole("button", { name: "Erase", exact: true }).isDisabled()).toBe(true);
      await asked.getByLabel("Type cy to confirm").fill("cy");
      await expect.poll(() => asked.getByRole("button", { name: "Erase", exact: true }).isDisabled()).toBe(false);
      await page().keyboard.press("Escape");
      clicks["How is a person forgotten?"] = count;
    });

    test("is anything broken? Failed turns stand on Home, with why, and can be said again beside it", async () => {
      await goTo(page(), "/home");
      count = 0;
      await main().getByText("Failed turns").waitFor();
      clicks["Is anything broken?"] = count;
      await main()
        .getByRole("button", { name: /^Send it again/ })
        .first()
        .click();
      const chat = page().getByRole("complementary", { name: "Chat" });
      await expect.poll(() => chat.getByRole("textbox").last().inputValue()).not.toBe("");
    });

    afterAll(() => {
      if (Object.keys(clicks).length === 7)
        expect(clicks).toEqual({
          "Why did it say that?": 2,
          "Who changed its goals?": 2,
          "Which turns failed yesterday?": 3,
          "What waits for me?": 0,
          "What does bo cost me, over all agents?": 1,
          "How is a person forgotten?": 3,
          "Is anything broken?": 0,
        });
    });
  });

  /** Sentences that were false on these pages once: each is held against what is on record. */
  describe("what the pages say", () => {
    const text = async () => (await main().innerText()).replace(/\s+/g, " ");
    const turns = async (agent: string) => stage.store.turns.list({ agent, limit: 100 });

    test("“too short to be cached” counts the tools before the prompt", async () => {
      await goTo(page(), "/agents/short/prompt?user=zoe&show=new");
      await page()
        .getByRole("region", { name: /^The text/ })
        .press("End");
      await main()
        .getByText(/cached prefix ends · [\d,]+ tokens after [\d,]+ of tools/)
        .first()
        .waitFor();
      const [, prefix, tools] = /ends · ([\d,]+) tokens after ([\d,]+) of tools/.exec(await text()) as RegExpExecArray;
      const [some, others] = [prefix, tools].map((one) => Number(one?.replace(",", ""))) as [number, number];
      expect(some).toBeLessThan(1024);
      expect(some + others).toBeGreaterThanOrEqual(1024);
      await expect.poll(() => text()).not.toContain("too short");
    });

    test("nothing is said to be uncached where something was read; what was not counted is not called uncached", async () => {
      const never = /Nothing was (?:cached|read)|not cached|too short/;
      const looked = new Set<"read" | "failed">();
      for (const { id, state } of await turns("ada")) {
        const sample = `fetch("/api/turns/${id}?parts=sample").then((one) => one.json())`;
        const { steps } = ((await page().evaluate(sample)) as { sample: { steps: Step[] } }).sample;
        for (const { usage, cache } of steps)
          if (usage && usage.read > 0) expect([id, cache?.says]).toEqual([id, expect.not.stringMatching(never)]);
        const read = steps.find(({ usage }) => usage !== null && usage.read > usage.input / 2);
        const kind = read ? "read" : state === "failed" ? "failed" : undefined;
        // One page for each kind of turn is looked at; all of their sentences are.
        if (!kind || looked.has(kind)) continue;
        looked.add(kind);
        await goTo(page(), `/agents/ada/turns/${id}`);
        const asked = main()
          .getByRole("listitem")
          .filter({ has: page().getByRole("heading", { name: /^openai\/gpt-5$/ }) });
        const answer = asked.nth((read?.step ?? 1) - 1);
        await answer.waitFor();
        await expect.poll(async () => [id, await answer.innerText()]).toEqual([id, expect.not.stringMatching(never)]);
        if (!read) await expect.poll(() => answer.innerText()).toContain("The provider has not counted this request.");
      }
      expect(looked).toEqual(new Set(["read", "failed"]));
    });

    test("tokens that were counted and billed stand side by side with why they differ", async () => {
      const [turn] = (await turns("ada")).filter(({ input }) => input === "Pack list for Rome?");
      await goTo(page(), `/agents/ada/turns/${turn?.id}?step=1&view=tokens`);
      await main()
        .getByText(/Counted here: [\d,]+ tokens \((?:exact|estimated), \w+\)\. Billed: [\d,]+\. They differ because/)
        .waitFor();
    });

    test("what was trimmed is listed once, also of a turn", async () => {
      const cut = (await turns("ada")).find(({ input }) => input === "Which of my rules do you have?");
      await goTo(page(), `/agents/ada/turns/${cut?.id}?step=1`);
      const list = main().getByRole("region", { name: "Trimmed to fit" });
      await list.getByRole("listitem").first().waitFor();
      await list.getByText("instructions").first().waitFor();
      const names = (await list.getByRole("listitem").allInnerTexts()).map((one) => one.split(" ")[0]);
      expect(new Set(names).size).toBe(names.length);
    });

    test("a coding agent is talked to at a terminal: no page offers to do it here", async () => {
      await goTo(page(), "/agents/cody/chat");
      await main().getByText("works at a terminal").waitFor();
      await main().getByText("charter chat --agent cody").waitFor();
      await expect.poll(() => main().getByRole("textbox", { name: "Message" }).count()).toBe(0);
      await goTo(page(), "/agents/cody/turns?by=person");
      await main().getByText("No conversations yet.").waitFor();
      await expect.poll(() => text()).not.toContain("Start one in Chat");
    });

    test("a stand-in is named wherever it is talked to, or looked at", async () => {
      for (const path of ["/agents/art/chat", "/agents/art/prompt?show=new", "/agents/art/settings", "/home"]) {
        await goTo(page(), path);
        await main()
          .getByText(/stand-in/)
          .locator("visible=true")
          .first()
          .waitFor();
      }
      await goTo(page(), "/agents/art/chat");
      await main().getByText("a script stands in for a model").waitFor();
      expect(window.wrong.filter((line) => !/status of 422 /.test(line))).toEqual([]);
    });
  });
});
