import { describe, expect, test } from "vitest";
import { dollars } from "../src/kit/words.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

type Step = { step: number; usage: { input: number; read: number } | null; cache: { says: string } | null };

inBrowser("a house that was lived in", () => {
  const { stage, window } = onStage({
    follow: true,
    prepare: ({ store }) => store.agents.add({ name: "short", charter: "assistant", model: "openai/gpt-5" }),
  });
  const page = () => window.page;
  const main = () => page().getByRole("main");

  describe("questions of an operator, from Home on", () => {
    test("what does bo cost me? Their row has what was spent for them with every agent", async () => {
      await goTo(page(), "/home");
      await page().getByRole("link", { name: "People" }).click();
      const row = main()
        .getByRole("row")
        .filter({ has: page().getByRole("link", { name: "bo", exact: true }) });
      await row.waitFor();
      const { users } = await stage.store.overview.money({ user: "bo" });
      const cell = () => row.getByRole("cell").nth(1).innerText();
      await expect.poll(cell).toBe(dollars((users[0]?.micros ?? 0) / 1e6));
    });

    test("forget this person: with their name typed, one agent or all", async () => {
      await goTo(page(), "/home");
      await page().getByRole("link", { name: "People" }).click();
      await main().getByRole("link", { name: "cy", exact: true }).click();
      await main().getByRole("button", { name: "Erase…" }).click();
      const asked = page().getByRole("dialog");
      await expect.poll(() => asked.getByRole("button", { name: "Erase", exact: true }).isDisabled()).toBe(true);
      await asked.getByLabel("Type cy to confirm").fill("cy");
      await expect.poll(() => asked.getByRole("button", { name: "Erase", exact: true }).isDisabled()).toBe(false);
      await page().keyboard.press("Escape");
    });

    test("is anything broken? Failed turns stand on Home, with why, and can be said again beside it", async () => {
      await goTo(page(), "/home");
      await main().getByText("Failed turns").waitFor();
      await main()
        .getByRole("button", { name: /^Send it again/ })
        .first()
        .click();
      const chat = page().getByRole("complementary", { name: "Chat" });
      await expect.poll(() => chat.getByRole("textbox").last().inputValue()).not.toBe("");
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
