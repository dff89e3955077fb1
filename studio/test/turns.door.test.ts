import { expect, test } from "vitest";
import type { Model } from "../../charter/src/delivery/model.ts";
import { standIn } from "../../charter/src/delivery/stand-in.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

/** The stand-in, which does not answer before it is told to. */
function patientModel(): { readonly model: Model; readonly wait: () => () => void } {
  const { receiver, ask } = standIn();
  let gate: Promise<void> | undefined;
  return {
    model: {
      receiver,
      ask: async (request, asking) => {
        await gate;
        return ask(request, asking);
      },
    },
    wait: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
  };
}

inBrowser("turns", () => {
  const { model, wait } = patientModel();
  const { stage, window } = onStage({ model });

  const at = (path: string) => goTo(window.page, `/agents/ada/turns${path}`);
  const where = () => new URL(window.page.url());
  const turnsOf = (user?: string) => stage.store.turns.list({ agent: "ada", ...(user ? { user } : {}), limit: 100 });
  const turnSaying = async (input: string) => (await turnsOf()).find((one) => one.input === input)?.id ?? "";
  const main = () => window.page.getByRole("main");

  test("a turn shows what changed in it, its steps and calls, and leads to its neighbours and to Compare", async () => {
    const id = await turnSaying("Never use exclamation marks.");
    await at(`/${id}`);
    await main().locator("ins", { hasText: "Never use exclamation marks." }).waitFor();
    await main().getByRole("heading", { name: "Called update_instructions" }).waitFor();
    await main().getByText("It says now: “Never use exclamation marks.”").last().waitFor();
    const order = async () =>
      (await main().getByRole("list", { name: "What happened, in order" }).locator("h2").allInnerTexts()).map((one) =>
        one.replaceAll(/\s+/g, " ").trim(),
      );
    await expect
      .poll(order)
      .toEqual([
        "olga",
        "Request 1",
        "openai/gpt-5",
        "Called update_instructions",
        expect.stringMatching(/^agent amended instructions revision 2$/),
        "Request 2",
        "openai/gpt-5",
        "ada",
      ]);
    await expect
      .poll(() =>
        main()
          .getByText(/tokens, [+−]\d+ since the last/)
          .count(),
      )
      .toBe(2);
    const ids = (await turnsOf()).map((turn) => turn.id);
    const way = (name: string) => main().getByRole("link", { name });
    const before = ids[ids.indexOf(id) + 1];
    await expect.poll(() => way("Previous").getAttribute("href")).toBe(`/agents/ada/turns/${before}`);
    await expect.poll(() => way("Next").getAttribute("href")).toBe(`/agents/ada/turns/${ids[ids.indexOf(id) - 1]}`);
    const query = new URLSearchParams({ left: `turn:${before}`, right: `turn:${id}` });
    await expect
      .poll(() => way("Compare with the turn before").getAttribute("href"))
      .toBe(`/agents/ada/compare?${query}`);
  });

  test("a request opens in place as the document that it was; each word leads to the revision that wrote it", async () => {
    const id = await turnSaying("Never use exclamation marks.");
    await at(`/${id}`);
    await main().getByRole("button", { name: "Request 2" }).click();
    await expect.poll(() => where().search).toBe("?step=2");
    const { digest, slots } = await stage.store.steps.replay(id, 2);
    await main()
      .getByText(`proved by its digest ${digest.slice(0, 12)}…`)
      .waitFor();
    // What is new in it is led to: the update that the first step brought about.
    const text = window.page.getByRole("region", { name: /^The text/ });
    await text.locator("[data-block]", { hasText: /^Update of\s*instructions/ }).waitFor();
    expect(slots.map(({ slot }) => slot)).toContain("update");
    await text.getByText("Never use exclamation marks.").last().click();
    const wrote = window.page.getByRole("region", { name: "Who wrote this word" });
    await wrote.getByText("Written by the agent, revision 2").waitFor();
    await window.page.reload();
    await wrote.getByText("Written by the agent, revision 2").waitFor();
    await main().getByRole("button", { name: "Request 2" }).click();
    await expect.poll(() => where().searchParams.get("step")).toBe(null);
    await expect.poll(() => text.count()).toBe(0);
  });

  test("each section's tokens are told as they were predicted and as they were billed, and what broke the cache", async () => {
    await at(`/${await turnSaying("Make it a little warmer.")}?step=1&view=tokens`);
    const row = (name: string) => window.page.getByRole("row", { name: new RegExp(`^${name}`) });
    await row("safety").waitFor();
    await expect
      .poll(async () => (await row("safety").innerText()).replaceAll(/\s+/g, " "))
      .toMatch(/^safety 92 \d+ (read|fresh).* \d+ (read|fresh)/);
    await expect
      .poll(async () => (await row("The whole request").innerText()).replaceAll(/\s+/g, " "))
      .toMatch(/[\d,]+ fresh/);
    const broke = main().locator("p", { hasText: "The operator changed “soul”" });
    await expect
      .poll(() => broke.getByRole("link", { name: "soul" }).getAttribute("href"))
      .toMatch(/\/sections\/soul\?user=olga&revision=\d+$/);
  });

  test("a turn is seen while it runs, and how it ended; one that was interrupted says so", async () => {
    await at("?user=bo");
    const row = window.page.getByRole("row", { name: /Are you there\?/ });
    const go = wait();
    const taken = stage.house.runTurn({ agent: "ada", user: "bo", channel: "web", input: "Are you there?" });
    await row.getByText("running").waitFor();
    go();
    await taken;
    await row.getByText("answered").waitFor();
    await stage.store.turns.open({ scope: { agent: "ada", user: "bo" }, input: "Hello?", runner: "nowhere:1" });
    const [lost] = await stage.store.turns.interruptAbandoned({
      agent: "ada",
      isGone: (runner) => runner === "nowhere:1",
    });
    await at(`/${lost?.id}`);
    await main().getByText("The process that ran it stopped.", { exact: true }).waitFor();
    await main().getByText("Nothing was sent in this turn.").waitFor();
  });

  test("of a user who was erased nothing is shown but that there were turns", async () => {
    const id = await turnSaying("Which of my rules do you have?");
    await at(`/${id}`);
    await main().getByText("Which of my rules do you have?").first().waitFor();
    await window.page.evaluate(() =>
      fetch("/api/users/cy", { method: "DELETE", headers: { "x-charter-csrf": "1", accept: "application/json" } }),
    );
    await main().getByText("This turn was erased.").waitFor();
    await expect.poll(() => main().getByText("Which of my rules do you have?").count()).toBe(0);
  });

  test("a turn of another agent is shown where it belongs, one that is not there is said to be missing", async () => {
    const [other] = await stage.store.turns.list({ agent: "art", limit: 1 });
    await at(`/${other?.id}`);
    await window.page.waitForURL(`**/agents/art/turns/${other?.id}`);
    await stage.store.agents.add({ name: "new", charter: "assistant", settings: {} });
    await goTo(window.page, "/agents/new/turns");
    await main().getByText("No turns yet.").waitFor();
    await expect
      .poll(() => main().getByRole("link", { name: "Start a conversation" }).getAttribute("href"))
      .toBe("/agents/new/chat");
    await at("/nothing");
    await window.page.getByRole("alert").getByText("There is no turn “nothing”.").waitFor();
    // The browser itself writes down what is gone or missing, which is what was asked for here.
    expect(window.wrong.filter((line) => !/status of (404|410)/.test(line))).toEqual([]);
  });
});
