import { expect, test } from "vitest";
import { createAutomaton } from "../../charter/src/channels/automaton/automaton.ts";
import { failMessage } from "../../charter/test/store/answer-message.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

/** How an agent fares that lives by itself, in a real browser. */
inBrowser("the life of an agent", () => {
  const { stage, window } = onStage();
  const go = (path: string) => goTo(window.page, path);
  const inMain = () => window.page.getByRole("main");
  const part = (name: string) => inMain().getByRole("region", { name });
  /** Where it was said what was just done. */
  const done = () => inMain().getByRole("status");
  const menu = () => window.page.getByRole("navigation", { name: "Pages" });
  const tabs = () => window.page.getByRole("navigation", { name: "Tabs" });

  test("it is in the menu of an agent with an inbox, with how many messages failed, and of no other", async () => {
    await go("/agents/ada/prompt");
    await menu().getByRole("link", { name: "Automation" }).click();
    await inMain().getByRole("heading", { name: "Schedules", level: 1 }).waitFor();
    await expect.poll(() => tabs().getByRole("link", { name: "Life" }).count()).toBe(0);
    await go("/agents/sol/prompt");
    await menu().getByRole("link", { name: "Automation 1" }).click();
    await tabs().getByRole("link", { name: "Life" }).click();
    await part("Waiting").getByText("The mill would like to rent ten gigabytes.").waitFor();
    await window.page.getByRole("combobox", { name: "Agent" }).selectOption("ada");
    await window.page.waitForURL("**/agents/ada/prompt*");
    await go("/agents/ada/life");
    await inMain().getByText("“ada” has no inbox").waitFor();
  });

  test("nothing to show is not a server that says no", async () => {
    const { page } = window;
    await stage.store.agents.add({ name: "eve", charter: "sovereign" });
    await go("/agents/eve/life");
    await part("Waiting").getByText("No messages are waiting.").waitFor();
    await part("Latest replies").getByText("No replies yet.").waitFor();
    await inMain().getByText("Nothing runs it yet.").waitFor();
    await page.route("**/agents/eve/outbox*", (route) =>
      route.fulfill({ status: 500, json: { error: { code: "broken", message: "It broke.", hint: "Look." } } }),
    );
    await page.reload();
    await part("Latest replies").getByRole("alert").getByText("It broke.").waitFor();
    await page.unroute("**/agents/eve/outbox*");
    await part("Latest replies").getByRole("button", { name: "Try again" }).click();
    await part("Latest replies").getByText("No replies yet.").waitFor();
  });

  test("a model that gives no answer is told of; all messages that failed are retried at once", async () => {
    const { agents, automata, inbox } = stage.store;
    await agents.add({ name: "ivy", charter: "sovereign" });
    await automata.wake("ivy", "eva");
    for (const id of ["m1", "m2"]) await inbox.post({ agent: "ivy", sender: `shop/${id}`, body: `Is it ${id}?`, id });
    // Whoever failed once is alone in the next turn: one turn with both, then two each.
    for (const turn of ["t1", "t2", "t3", "t4", "t5"])
      for (const { id } of await inbox.claim("ivy", turn, { counterparts: 2 }))
        await failMessage(inbox, "ivy", id, "It failed.");
    await inbox.markAway("ivy", { because: "model-busy: Too many requests (429)." });
    await go("/agents/ivy/life");
    await inMain()
      .getByText(/^Its model has given no answer since .+ none is lost: .+ Reason: model-busy: Too many requests/)
      .waitFor();
    await part("Failed messages").getByRole("button", { name: "Retry all" }).click();
    await done().getByText("Messages that are waiting again, each with three new tries: 2.").waitFor();
    await part("Failed messages").waitFor({ state: "detached" });
    await part("Waiting").getByText("Is it m2?").waitFor();
  });

  test("a message that failed stands with every reason, and waits again when it is retried", async () => {
    await go("/agents/sol/life");
    const failed = part("Failed messages");
    const reasons = failed.getByRole("list", { name: "Why it failed" }).getByRole("listitem");
    await reasons.first().waitFor();
    await expect
      .poll(async () => (await reasons.allInnerTexts()).map((line) => line.replace(/^[\d\w :]+ the /, "the ")))
      .toEqual([
        "the model's key was refused Turn",
        "the model did not answer in 90 s Turn",
        "the turn ended without a reply Turn",
      ]);
    const [dead] = await stage.store.inbox.list("sol", "dead");
    const retry = failed.getByRole("button", { name: "Retry the message of club/Raffle" });
    await window.page.route("**/retry", (route) => route.abort());
    await retry.click();
    await failed.getByRole("alert").getByText("The server cannot be reached.").waitFor();
    await window.page.unroute("**/retry");
    await retry.press("Enter");
    await done().getByText("The message of “club/Raffle” is waiting again, with three new tries.").waitFor();
    await failed.waitFor({ state: "detached" });
    await part("Waiting").getByText("You have won!").waitFor();
    await expect
      .poll(() => stage.store.inbox.get("sol", dead?.id ?? ""))
      .toMatchObject({ status: "waiting", tries: 0 });
    await expect.poll(() => done().evaluate((one) => one === document.activeElement)).toBe(true);
  });

  test("what is discarded is asked about first; who comes late is told kindly", async () => {
    await go("/agents/sol/life");
    const raffle = part("Waiting").getByRole("listitem").filter({ hasText: "You have won!" });
    await raffle.getByRole("button", { name: /^Discard/ }).click();
    await raffle.getByRole("button", { name: "Keep it" }).click();
    await raffle.getByRole("button", { name: /^Discard/ }).click();
    await raffle.getByRole("button", { name: "Discard it" }).click();
    await done().getByText("Discarded: the message of “club/Raffle” will not be answered.").waitFor();
    await raffle.waitFor({ state: "detached" });
    const { id } = await stage.store.inbox.post({ agent: "sol", sender: "shop/bo", body: "Never mind." });
    const shop = part("Waiting").getByRole("listitem").filter({ hasText: "Never mind." });
    await window.page.route(`**/inbox/${id}/discard`, async (route) => {
      await stage.store.inbox.discard("sol", id, "another");
      await route.continue();
    });
    await shop.getByRole("button", { name: /^Discard/ }).click();
    await shop.getByRole("button", { name: "Discard it" }).click();
    await done()
      .getByText(/^The message of “shop\/bo” was changed by someone else/)
      .waitFor();
  });

  test("a budget is granted in dollars, and what is left is said", async () => {
    const before = (await stage.store.automata.find("sol"))?.granted ?? 0;
    await go("/agents/sol/life");
    await inMain().getByRole("button", { name: "Grant a budget…" }).click();
    const form = window.page.getByRole("dialog");
    await form.getByLabel("Dollars").fill("1,000");
    await form.getByText("with a point").waitFor();
    await expect.poll(() => form.getByRole("button", { name: "Grant" }).isDisabled()).toBe(true);
    await form.getByLabel("Dollars").fill("2.50");
    await form.getByLabel("Dollars").press("Enter");
    await done()
      .getByText(/^Granted \$2\.50\. It has \$4\.\d\d left\.$/)
      .waitFor();
    await expect.poll(async () => (await stage.store.automata.find("sol"))?.granted).toBe(before + 2_500_000);
  });

  test("it is sent to sleep until a time, and woken", async () => {
    await go("/agents/sol/life?do=sleep");
    const form = window.page.getByRole("dialog");
    await form.getByRole("button", { name: "Until a time" }).click();
    await form.getByLabel("Until").fill("2099-01-01T08:00");
    await form.getByRole("button", { name: "Send to sleep" }).click();
    await inMain().getByText("It is asleep until 1 Jan 2099 08:00:00.").waitFor();
    await expect.poll(async () => (await stage.store.automata.find("sol"))?.asleepUntil).toMatch(/^20(?:98|99)-/);
    await inMain().getByRole("button", { name: "Wake it" }).click();
    await done().getByText("It is awake.").waitFor();
    await inMain().getByRole("button", { name: "Send to sleep…" }).waitFor();
    await expect.poll(async () => (await stage.store.automata.find("sol"))?.asleepUntil).toBeNull();
  });

  test("a message that comes is seen to wait, and its reply to be given, without anyone reloading", async () => {
    await go("/agents/sol/life");
    await part("Waiting").getByText("The mill would like to rent ten gigabytes.").waitFor();
    await stage.store.inbox.post({ agent: "sol", sender: "shop/cy", body: "Are you open on Sunday?" });
    await part("Waiting").getByText("Are you open on Sunday?").waitFor();
    const automaton = createAutomaton({ host: stage.house, agent: "sol", clock: () => new Date() });
    while ((await stage.store.inbox.countWaiting("sol")) > 0) await automaton.tick();
    await part("Waiting").getByText("No messages are waiting.").waitFor();
    await part("Latest replies").getByRole("link", { name: "shop/cy" }).waitFor();
    await part("Latest events").getByText("The turn ended well").first().waitFor();
    await inMain().getByText("No process runs it now.").waitFor({ state: "detached" });
    await automaton.stop(0);
    await stage.store.automata.wake("sol", "olga");
    await inMain().getByText("No process runs it now.").waitFor();
  });

  test("what happens stands there as it happens: its state in plain words, with its turn", async () => {
    await go("/agents/sol/life");
    const { id: turn } = await stage.store.turns.open({
      scope: { agent: "sol" },
      input: "Look around.",
      runner: "test",
    });
    const at = new Date().toISOString();
    await stage.store.automata.claim("sol", { runner: "test", leaseMs: 60_000 });
    await stage.store.automata.record("sol", [
      { from: "Sleeping", to: "Idle", cause: "tick", turn: null, at },
      { from: "Idle", to: "LoadingContext", cause: "turn-started", turn, at },
      { from: "LoadingContext", to: "Inferring", cause: "model-asked", turn, at },
    ]);
    await inMain().getByRole("definition").getByText("It waits for the model.").waitFor();
    await expect.poll(() => inMain().getByText("No process runs it now.").count()).toBe(0);
    const changes = part("Latest events").getByRole("listitem");
    const lines = async () => (await changes.allInnerTexts()).map((one) => one.replace(/[\d:]{8}/, "…"));
    await expect
      .poll(async () => (await lines()).slice(0, 2).map((one) => one.split(/\s*\n\s*/)))
      .toEqual([
        ["The model was asked", "Turn", "…", "Preparing a turn → Thinking"],
        ["Ready for messages", "…", "Idle"],
      ]);
    await changes.first().getByRole("link", { name: "Turn" }).click();
    await window.page.waitForURL(`**/agents/sol/turns/${turn}`);
  });

  test("a sender’s name leads to what was said with them", async () => {
    await go("/agents/sol/life");
    await part("Latest replies").getByRole("link", { name: "club/Gardener" }).click();
    await window.page.waitForURL((url) => url.searchParams.get("open") === "counterpart:club/Gardener");
    await inMain().getByText("No. My keys stay with me").waitFor();
  });

  test("nothing else went wrong in the browser", () => {
    expect(window.wrong.filter((line) => !/ERR_FAILED|status of (?:409|500) /.test(line))).toEqual([]);
  });
});
