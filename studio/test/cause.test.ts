import { afterEach, beforeEach, expect, test } from "vitest";
import { calls, type Line, scripted } from "../../charter/test/agent/model.ts";
import { bringAxe, serious, tooWide } from "./stage/faults.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

const hostile = 'My "sister" <img src=/x onerror=alert(1)> is Ida\u202e.';

/** From a reply, by clicking, to the notes it found and to what was changed in its prompt since the turn before. */
inBrowser("why it said that", () => {
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
    model.say("Fine.");
    await window.page.setViewportSize({ width: 1440, height: 800 });
    await goTo(window.page, `/agents/${agent}/chat`);
  });
  afterEach(() => expect(window.wrong.splice(0)).toEqual([]));

  const main = () => window.page.getByRole("main");
  const turn = () => window.page.getByRole("article").last();
  const path = () => new URL(window.page.url()).pathname + new URL(window.page.url()).search;
  const say = async (words: string, ...lines: Line[]) => {
    model.say(...lines);
    await window.page.getByRole("textbox", { name: "Message" }).fill(words);
    await window.page.keyboard.press("Enter");
    const reply = lines.at(-1) as string;
    await turn().locator("[data-answer]", { hasText: reply }).waitFor();
  };
  const why = async () => {
    await turn().getByRole("button", { name: "Why this reply?" }).click();
    return turn().getByRole("region", { name: "What led to this reply" });
  };
  const newest = async () => (await stage.store.turns.list({ agent }))[0]?.id as string;

  test("a reply leads to the notes it found, in the chat and on its turn's page", async () => {
    const scope = { agent, user: "olga" };
    const note = await stage.store.memory.save(scope, { text: hostile });
    await stage.store.memory.save(scope, { text: "Her sister likes blue.", key: "colour" });
    await stage.store.memory.save(scope, { text: "The bins go out on Monday." });
    await say("Who is my sister?", calls(["read_memory", { query: "sister" }]), "Ida.");
    const led = await why();
    await led.getByRole("link", { name: "Her sister likes blue." }).waitFor();
    expect(await led.getByRole("link").count()).toBe(2);
    expect(await led.locator("img").count()).toBe(0);
    await led.getByRole("link", { name: 'My "sister"' }).click();
    await expect.poll(path).toBe(`/agents/${agent}/memory?user=olga&note=${note.id}`);
    await main().getByText("You see one note.").waitFor();
    expect(await main().getByRole("listitem").allInnerTexts()).toEqual([expect.stringContaining('My "sister" <img')]);

    await goTo(window.page, `/agents/${agent}/turns/${await newest()}`);
    const onPage = main().getByRole("region", { name: "What led to this reply" });
    await onPage.getByRole("link", { name: "Her sister likes blue." }).click();
    await expect.poll(path).toBe(`/agents/${agent}/memory?user=olga&note=colour`);
    await main().getByText("You see one note.").waitFor();
    await main().getByText("Her sister likes blue.").waitFor();
    await main().getByRole("link", { name: "Show all notes about this user" }).click();
    await main().getByText("The bins go out on Monday.").waitFor();

    await stage.store.memory.forget(scope, note.id);
    await window.page.goto(`${stage.url}/agents/${agent}/memory?user=olga&note=${note.id}`);
    await main().getByText("This note is not here: it was deleted or replaced, or it is someone else’s.").waitFor();
  });

  test("a reply leads to what was changed since the turn before, each to its entry in the history", async () => {
    const french = { instructions: "Always answer in French." };
    await say("Always answer in French.", calls(["update_instructions", french]), "Bien.");
    await turn().getByRole("button", { name: "Why this reply?" }).click();
    await turn().getByText("It searched no notes, and it is the first turn of its conversation.").waitFor();
    const first = await newest();
    await stage.store.propose(await stage.house.amendmentContext({ agent }), {
      section: "soul",
      operation: { kind: "append", content: "You are <b>calm</b>." },
      actor: "operator",
      reason: "It was <i>loud</i>.",
    });
    await say("Hello?", "Bonjour.");
    const led = await why();
    await led.getByText("It was <i>loud</i>.").waitFor();
    expect(
      (await led.getByRole("listitem").allInnerTexts()).map((text) => text.replace(/\d\d:\d\d:\d\d/, "now")),
    ).toEqual([
      "agent changed instructions revision 1 · now · in this turn",
      "operator changed soul revision 1 · now “It was <i>loud</i>.”",
    ]);
    await bringAxe(window.page);
    expect(await serious(window.page)).toEqual([]);
    await window.page.setViewportSize({ width: 360, height: 740 });
    expect(await window.page.evaluate(tooWide)).toEqual([]);
    await window.page.setViewportSize({ width: 1440, height: 800 });
    await led.getByRole("link", { name: "soul" }).click();
    await expect.poll(path).toBe(`/agents/${agent}/sections/soul?revision=1`);
    const history = main().getByRole("region", { name: "History" });
    await history.getByRole("listitem").filter({ hasText: "Revision 1" }).getByText("It was <i>loud</i>.").waitFor();

    await goTo(window.page, `/agents/${agent}/turns/${await newest()}`);
    const onPage = main().getByRole("region", { name: "What led to this reply" });
    await onPage.getByRole("link", { name: "the turn before" }).waitFor();
    await onPage.getByRole("link", { name: "in this turn" }).click();
    await expect.poll(path).toBe(`/agents/${agent}/turns/${first}`);
    await goTo(window.page, `/agents/${agent}/turns/${await newest()}`);
    await onPage.getByRole("link", { name: "instructions" }).click();
    await expect.poll(path).toBe(`/agents/${agent}/sections/instructions?user=olga&revision=1`);
  });

  test("where nothing led to it but the message, that is said", async () => {
    await say("Hello.", "Hello.");
    await say("And now?", "Nothing.");
    await turn().getByRole("button", { name: "Why this reply?" }).click();
    await turn().getByText("nothing in its prompt was changed since the turn before").waitFor();
    await turn().getByRole("link", { name: "See everything the model was given" }).click();
    await expect.poll(path).toBe(`/agents/${agent}/turns/${await newest()}`);
  });

  test("the next prompt beside the chat is that of the conversation in the address", async () => {
    const french = { instructions: "Always answer in French." };
    await say("Hello.", "Hello.");
    await say("Always answer in French.", calls(["update_instructions", french]), "Bien.");
    await window.page.getByRole("button", { name: "New conversation" }).click();
    await window.page.getByText(/^With the first message: [\d,]+ tokens/).waitFor();
    await say("Bonjour.", "Bonjour.");
    const [second, first] = (await stage.store.sessions.list({ agent })).map(({ id }) => id);
    const sums = [];
    for (const session of [first, second]) {
      await goTo(window.page, `/agents/${agent}/chat?user=olga&session=${session}`);
      const { parts, tokens } = (await window.page.evaluate(
        `fetch("/api/agents/${agent}/next-request?user=olga&channel=web&session=${session}").then((one) => one.json())`,
      )) as { parts: { slot: string; sections: { tokens: number }[] }[]; tokens: { total: number } };
      const sum = parts.flatMap(({ sections }) => sections).reduce((all, one) => all + one.tokens, 0);
      const [some, whole] = [sum, tokens.total].map((one) => one.toLocaleString("en"));
      await window.page.getByText(`In this conversation: ${some} tokens`).getByText(`${whole} with tools`).waitFor();
      sums.push(parts.filter(({ slot }) => slot === "update").length);
    }
    expect(sums).toEqual([1, 0]);
    await goTo(window.page, `/agents/${agent}/chat?user=olga&session=${first}`);
    await window.page
      .getByRole("complementary", { name: "The next prompt" })
      .getByRole("link", { name: "in Prompt" })
      .click();
    await expect.poll(path).toBe(`/agents/${agent}/prompt?user=olga&channel=web&session=${first}`);
    await main().getByText("Update of").waitFor();
  });
});
