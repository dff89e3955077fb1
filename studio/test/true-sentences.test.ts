import { expect, test } from "vitest";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

type Step = { step: number; usage: { input: number; read: number } | null; cache: { says: string } | null };

/** Sentences that were false on these pages once: each is held against what is on record. */
inBrowser("what the pages say", () => {
  const { stage, window } = onStage({
    prepare: ({ store }) => store.agents.add({ name: "short", charter: "assistant", model: "openai/gpt-5" }),
  });
  const page = () => window.page;
  const main = () => page().getByRole("main");
  const text = async () => (await main().innerText()).replace(/\s+/g, " ");
  const turns = async (agent: string) => stage.store.turns.list({ agent, limit: 100 });

  test("“too short to be cached” counts the tools before the prompt", async () => {
    await goTo(page(), "/agents/short/prompt?user=zoe&show=new");
    await main()
      .getByText(/^cached prefix ends · [\d,]+ tokens after [\d,]+ of tools/)
      .first()
      .waitFor();
    const [, prefix, tools] = /ends · ([\d,]+) tokens after ([\d,]+) of tools/.exec(await text()) as RegExpExecArray;
    const [some, others] = [prefix, tools].map((one) => Number(one?.replace(",", ""))) as [number, number];
    expect(some).toBeLessThan(1024);
    expect(some + others).toBeGreaterThanOrEqual(1024);
    expect(await text()).not.toContain("too short");
  });

  test("nothing is said to be uncached where something was read; what was not counted is not called uncached", async () => {
    const never = /Nothing was (?:cached|read)|not cached|too short/;
    for (const { id, state } of await turns("ada")) {
      const path = `/agents/ada/turns/${id}`;
      const { steps } = (await page().evaluate(`fetch("/api/turns/${id}/sample").then((answer) => answer.json())`)) as {
        steps: Step[];
      };
      // One page for each kind of turn is looked at; all of their sentences are.
      for (const { usage, cache } of steps)
        if (usage && usage.read > 0) expect([id, cache?.says]).toEqual([id, expect.not.stringMatching(never)]);
      const read = steps.find(({ usage }) => usage !== null && usage.read > usage.input / 2);
      if (!read && state !== "failed") continue;
      await goTo(page(), `${path}?step=${read?.step ?? 1}`);
      await main().getByText("Tokens, predicted and billed").first().waitFor();
      expect([path, await text()]).toEqual([path, expect.not.stringMatching(never)]);
      if (!read) expect(await text()).toContain("The provider has not counted this request.");
    }
  });

  test("tokens that were counted and billed stand side by side with why they differ", async () => {
    const [turn] = (await turns("ada")).filter(({ input }) => input === "Pack list for Rome?");
    await goTo(page(), `/agents/ada/turns/${turn?.id}`);
    await main()
      .getByText(/Counted here: [\d,]+ tokens \((?:exact|estimated), \w+\)\. Billed: [\d,]+\. They differ because/)
      .waitFor();
  });

  test("what was trimmed is listed once, also of a turn", async () => {
    const cut = (await turns("ada")).find(({ input }) => input === "Which of my rules do you have?");
    await goTo(page(), `/agents/ada/turns/${cut?.id}`);
    const list = main()
      .locator("section", { has: page().getByRole("heading", { name: "Trimmed or left out" }) })
      .last();
    await list.getByRole("listitem").first().waitFor();
    const names = (await list.getByRole("listitem").allInnerTexts()).map((one) => one.split(":")[0]);
    expect(names).toContain("instructions");
    expect(new Set(names).size).toBe(names.length);
  });

  test("a coding agent is talked to at a terminal: no page offers to do it here", async () => {
    await goTo(page(), "/agents/cody/chat");
    await main().getByText("works at a terminal").waitFor();
    expect(await main().getByRole("textbox", { name: "Message" }).count()).toBe(0);
    await goTo(page(), "/agents/cody/conversations");
    await main().getByText("No conversations yet.").waitFor();
    expect(await text()).not.toContain("Start one in Chat");
  });

  test("a stand-in is named wherever it is talked to, or looked at", async () => {
    for (const path of ["/agents/art/chat", "/agents/art/prompt?show=new", "/agents/art/settings", "/agents"]) {
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
