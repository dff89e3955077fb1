import { afterEach, beforeEach, expect, test } from "vitest";
import { scripted } from "../../charter/test/agent/model.ts";
import { bringAxe, serious, tooWide } from "./stage/faults.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";

inBrowser("the chat, its turns and its conversations", () => {
  const model = scripted();
  const { stage, window } = onStage({
    lived: false,
    model,
    width: 1440,
    prepare: ({ store }) => store.agents.add({ name: "first", charter: "assistant" }),
  });
  let agent = "";
  let count = 0;

  beforeEach(async () => {
    agent = `agent-${++count}`;
    await stage.store.agents.add({ name: agent, charter: "assistant" });
    model.requests.splice(0);
    model.say("Fine.");
    await window.page.setViewportSize({ width: 1440, height: 800 });
    await window.page.evaluate(`history.pushState(null, "", "/agents/${agent}/chat")`);
    await window.page.getByRole("heading", { name: `Say hello to ${agent}` }).waitFor();
  });
  afterEach(() => expect(window.wrong.splice(0)).toEqual([]));

  const turns = () => window.page.getByRole("article");
  const says = (words: string) => turns().last().locator("[data-answer]", { hasText: words }).waitFor();
  const say = async (words: string) => {
    await window.page.getByRole("textbox", { name: "Message" }).fill(words);
    await window.page.keyboard.press("Enter");
    await turns().last().getByText(words).waitFor();
  };

  test("under each turn stands what it used and took, at once and after a reload", async () => {
    await say("hello");
    await says("Fine.");
    const look = async () => {
      const figures = turns().last().locator("[data-figures]");
      await figures.waitFor();
      expect(await figures.textContent()).toMatch(/^1,000 tokens in, 20 out( · \$[\d.]+)? · [\d.]+ m?s$/);
      expect(await figures.getAttribute("title")).toBe("1,000 tokens in, 600 of them read from the cache; 20 out.");
    };
    await look();
    const [{ id } = { id: "" }] = await stage.store.turns.list({ agent });
    const link = turns().last().getByRole("link", { name: "Open turn" });
    expect(await link.getAttribute("href")).toBe(`/agents/${agent}/turns/${id}`);
    await window.page.reload();
    await look();
  });

  test("a reply is copied as it was written, and a message is sent again, both by keyboard", async () => {
    await window.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    model.say("It is **sunny**.", "It rains.");
    await say("weather?");
    await says("It is sunny.");
    await turns().last().getByRole("button", { name: "Copy the reply" }).focus();
    await window.page.keyboard.press("Enter");
    await turns().last().getByRole("button", { name: "Copied" }).waitFor();
    expect(await window.page.evaluate("navigator.clipboard.readText()")).toBe("It is **sunny**.");
    await window.page.keyboard.press("Tab");
    await window.page.keyboard.press("Enter");
    await says("It rains.");
    const inputs = (await stage.store.turns.list({ agent })).map(({ input }) => input);
    expect(inputs).toEqual(["weather?", "weather?"]);
  });

  test("a table in a reply is a table; its cells are only words; on a telephone it scrolls by itself", async () => {
    const hostile = "<img src=x onerror=alert(1)>";
    const wide = "| word ".repeat(12);
    model.say(
      `Prices:\n\n| what | ${hostile} |\n|---|--:|\n| **tea** | 2 \\| 3 |\n\n${wide}|\n${"|---".repeat(12)}|\n`,
    );
    await window.page.setViewportSize({ width: 360, height: 640 });
    await say("prices?");
    const table = turns().last().getByRole("table").first();
    await table.waitFor();
    expect(await table.locator("th").allTextContents()).toEqual(["what", hostile]);
    expect(await table.locator("td").allTextContents()).toEqual(["tea", "2 | 3"]);
    expect(await turns().last().locator("img").count()).toBe(0);
    const around = turns().last().getByRole("group", { name: "Table" }).last();
    expect(await around.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(true);
    const conversation = window.page.getByRole("region", { name: "Conversation" });
    expect(await conversation.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(false);
    await bringAxe(window.page);
    expect(await serious(window.page)).toEqual([]);
  });

  const path = () => new URL(window.page.url()).pathname + new URL(window.page.url()).search;
  const talkedTwice = async () => {
    await say("What is a plum?");
    await says("Fine.");
    await window.page.getByRole("button", { name: "New conversation" }).click();
    await say("What is <b>bread</b>?");
    await says("Fine.");
    const sessions = await stage.store.sessions.list({ agent });
    return sessions.map(({ id }) => id);
  };
  const list = () => window.page.getByRole("list", { name: "Conversations" });

  test("an earlier conversation is opened from the list, alone, stands in the address, and goes on", async () => {
    const [, plums = ""] = await talkedTwice();
    await window.page.getByRole("button", { name: "Conversations" }).click();
    await list().waitFor();
    expect((await list().getByRole("link").allInnerTexts()).map((text) => text.replace(/\d\d:\d\d/, "now"))).toEqual([
      "All conversations",
      "What is <b>bread</b>?\nnow · 1 turn",
      "What is a plum?\nnow · 1 turn",
    ]);
    await list().getByRole("link", { name: "What is a plum?" }).click();
    await expect.poll(path).toBe(`/agents/${agent}/chat?user=olga&session=${plums}`);
    await window.page.getByText("You see one conversation.").waitFor();
    await expect.poll(() => turns().count()).toBe(1);
    model.say("It is blue.");
    await say("And its colour?");
    await says("It is blue.");
    expect(model.requests.at(-1)?.messages.filter(({ role }) => role === "user")).toHaveLength(2);
    expect((await stage.store.turns.list({ agent }))[0]).toMatchObject({ input: "And its colour?", session: plums });
    await window.page.reload();
    await says("It is blue.");
    expect(await turns().count()).toBe(2);
    await window.page.getByRole("link", { name: "Show all conversations" }).click();
    await expect.poll(() => turns().count()).toBe(3);
  });

  test("from a conversation that is open, a new one is begun", async () => {
    const [, plums = ""] = await talkedTwice();
    await window.page.evaluate(`history.pushState(null, "", "/agents/${agent}/chat?session=${plums}")`);
    await expect.poll(() => turns().count()).toBe(1);
    await window.page.getByRole("button", { name: "New conversation" }).click();
    await expect.poll(path).toBe(`/agents/${agent}/chat`);
    await say("Hello again.");
    await says("Fine.");
    await expect.poll(async () => (await stage.store.sessions.list({ agent })).length).toBe(3);
  });

  test("a conversation that is not there is said so, and nothing can be sent to it", async () => {
    await window.page.evaluate(`history.pushState(null, "", "/agents/${agent}/chat?session=<i>none</i>")`);
    await window.page.getByText("There is no conversation “<i>none</i>” of olga").waitFor();
    expect(await window.page.getByRole("textbox", { name: "Message" }).count()).toBe(0);
  });

  test("the list stands at the side where there is room, and behind a button on a telephone", async () => {
    await talkedTwice();
    await window.page.setViewportSize({ width: 1700, height: 900 });
    await window.page.getByRole("complementary", { name: "Conversations" }).getByRole("link").nth(2).waitFor();
    expect(await window.page.getByRole("button", { name: "Conversations" }).count()).toBe(0);
    await bringAxe(window.page);
    expect(await serious(window.page)).toEqual([]);
    await window.page.setViewportSize({ width: 360, height: 640 });
    expect(await window.page.evaluate(tooWide)).toEqual([]);
    await window.page.getByRole("button", { name: "Conversations" }).press("Enter");
    await list().waitFor();
    expect(await window.page.evaluate(tooWide)).toEqual([]);
    await bringAxe(window.page);
    expect(await serious(window.page)).toEqual([]);
    await window.page.keyboard.press("Escape");
    await list().waitFor({ state: "detached" });
  });
});
