import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { calls, type Line, scripted } from "../../charter/test/agent/model.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

const hostile = 'My "sister" <img src=/x onerror=alert(1)> is Ida\u202e.';

/** What one does with replies and conversations that are there; chat.door.test.ts is about how they come. */
inBrowser("replies and conversations", () => {
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
    await goTo(window.page, `/agents/${agent}/chat`);
    await window.page.getByRole("heading", { name: `Say hello to ${agent}` }).waitFor();
  });
  afterEach(() => expect(window.wrong.splice(0)).toEqual([]));

  const main = () => window.page.getByRole("main");
  const turns = () => window.page.getByRole("article");
  const turn = () => turns().last();
  const path = () => new URL(window.page.url()).pathname + new URL(window.page.url()).search;
  const says = (words: string) => turn().locator("[data-answer]", { hasText: words }).waitFor();
  const say = async (words: string) => {
    await window.page.getByRole("textbox", { name: "Message" }).fill(words);
    await window.page.keyboard.press("Enter");
    await turn().getByText(words).waitFor();
  };
  /** Says something to which the model does and says this. */
  const tell = async (words: string, ...lines: Line[]) => {
    model.say(...lines);
    await window.page.getByRole("textbox", { name: "Message" }).fill(words);
    await window.page.keyboard.press("Enter");
    await says(lines.at(-1) as string);
    // Only now its turn is over: what is said before that may begin another conversation.
    await turn().getByRole("button", { name: "Why this reply?" }).waitFor();
  };

  describe("a reply", () => {
    test("under each turn stands what it used and took, at once and after a reload", async () => {
      await say("hello");
      await says("Fine.");
      const look = async () => {
        const figures = turns().last().locator("[data-figures]");
        await figures.waitFor();
        await expect.poll(() => figures.textContent()).toMatch(/^1,000 tokens in, 20 out( · \$[\d.]+)? · [\d.]+ m?s$/);
        await expect
          .poll(() => figures.getAttribute("title"))
          .toBe("1,000 tokens in, 600 of them read from the cache; 20 out.");
      };
      await look();
      const [{ id } = { id: "" }] = await stage.store.turns.list({ agent });
      const link = turns().last().getByRole("link", { name: "Open turn" });
      await expect.poll(() => link.getAttribute("href")).toBe(`/agents/${agent}/turns/${id}`);
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
      await expect.poll(() => window.page.evaluate("navigator.clipboard.readText()")).toBe("It is **sunny**.");
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
      await expect.poll(() => table.locator("th").allTextContents()).toEqual(["what", hostile]);
      await expect.poll(() => table.locator("td").allTextContents()).toEqual(["tea", "2 | 3"]);
      await expect.poll(() => turns().last().locator("img").count()).toBe(0);
      const around = turns().last().getByRole("group", { name: "Table" }).last();
      await expect.poll(() => around.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(true);
      const conversation = window.page.getByRole("region", { name: "Conversation" });
      await expect.poll(() => conversation.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(false);
    });

    async function answered(reply: string, all = false): Promise<string> {
      model.say(reply);
      const before = await turns().count();
      await window.page.getByRole("textbox", { name: "Message" }).fill("Go on.");
      await window.page.keyboard.press("Enter");
      const said = turns().nth(before);
      const answer = said.locator("[data-answer]");
      await expect.poll(() => said.getAttribute("aria-busy")).toBe("false");
      if (all) await answer.getByRole("button", { name: /^Show all/ }).click();
      return (await answer.textContent()) ?? "";
    }

    test("characters that end a line elsewhere end none here, and begin no event", async () => {
      const words = 'One\u2028data: {"type":"error","errorText":"No."}\u2029two\u0085three\u000bfour';
      expect(await answered(words)).toBe(words);
    });

    const endless: [what: string, words: string][] = [
      ["quotes in quotes", `${">".repeat(20_000)} deep`],
      ["a megabyte", `${"word ".repeat(200_000)} deep`],
    ];
    test("what has no end is drawn, all of it where one asks for it, and the page goes on", async () => {
      for (const [what, words] of endless)
        expect([what, (await answered(words, true)).replace(/Show the beginning$/, "").slice(-4)]).toEqual([
          what,
          "deep",
        ]);
    });
  });

  describe("conversations", () => {
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
      await expect
        .poll(async () =>
          (await list().getByRole("link").allInnerTexts()).map((text) => text.replace(/\d\d:\d\d/, "now")),
        )
        .toEqual(["All conversations", "What is <b>bread</b>?\nnow · 1 turn", "What is a plum?\nnow · 1 turn"]);
      await list().getByRole("link", { name: "What is a plum?" }).click();
      await expect.poll(path).toBe(`/agents/${agent}/chat?user=olga&session=${plums}`);
      await window.page.getByText("You see one conversation.").waitFor();
      await expect.poll(() => turns().count()).toBe(1);
      model.say("It is blue.");
      await say("And its colour?");
      await says("It is blue.");
      expect(model.requests.at(-1)?.messages.filter(({ role }) => role === "user")).toHaveLength(2);
      await expect
        .poll(async () => (await stage.store.turns.list({ agent }))[0])
        .toMatchObject({ input: "And its colour?", session: plums });
      await window.page.reload();
      await says("It is blue.");
      await expect.poll(() => turns().count()).toBe(2);
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

    test("so it is in the drawer, and the page beside it stays", async () => {
      const [, plums = ""] = await talkedTwice();
      await goTo(window.page, `/agents/${agent}/turns?chat=${agent}&in=${plums}`);
      const drawer = window.page.getByRole("complementary", { name: "Chat" });
      await expect.poll(() => drawer.getByRole("article").count()).toBe(1);
      await drawer.getByRole("button", { name: "New conversation" }).click();
      await expect.poll(path).toBe(`/agents/${agent}/turns?chat=${agent}`);
      await say("Hello again.");
      await says("Fine.");
      await expect.poll(async () => (await stage.store.sessions.list({ agent })).length).toBe(3);
      await main().getByRole("heading", { name: "Activity", level: 1 }).waitFor();
    });

    test("a conversation that is not there is said so, and nothing can be sent to it", async () => {
      await window.page.evaluate(`history.pushState(null, "", "/agents/${agent}/chat?session=<i>none</i>")`);
      await window.page.getByText("There is no conversation “<i>none</i>” of olga").waitFor();
      await expect.poll(() => window.page.getByRole("textbox", { name: "Message" }).count()).toBe(0);
    });

    test("the list stands at the side where there is room, and behind a button on a telephone", async () => {
      await talkedTwice();
      await window.page.setViewportSize({ width: 1700, height: 900 });
      await window.page.getByRole("complementary", { name: "Conversations" }).getByRole("link").nth(2).waitFor();
      await expect.poll(() => window.page.getByRole("button", { name: "Conversations" }).count()).toBe(0);
      await window.page.setViewportSize({ width: 360, height: 640 });
      await window.page.getByRole("button", { name: "Conversations" }).press("Enter");
      await list().waitFor();
      await window.page.keyboard.press("Escape");
      await list().waitFor({ state: "detached" });
    });
  });

  describe("why it said that: from a reply, by clicking, to the notes it found and to what was changed since", () => {
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
      await tell("Who is my sister?", calls(["read_memory", { query: "sister" }]), "Ida.");
      const led = await why();
      await led.getByRole("link", { name: "Her sister likes blue." }).waitFor();
      await expect.poll(() => led.getByRole("link").count()).toBe(2);
      await expect.poll(() => led.locator("img").count()).toBe(0);
      await led.getByRole("link", { name: 'My "sister"' }).click();
      await expect.poll(path).toBe(`/agents/${agent}/memory?user=olga&note=${note.id}`);
      await main().getByText("You see one note.").waitFor();
      await expect
        .poll(() => main().getByRole("listitem").allInnerTexts())
        .toEqual([expect.stringContaining('My "sister" <img')]);

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
      await tell("Always answer in French.", calls(["update_instructions", french]), "Bien.");
      await turn().getByRole("button", { name: "Why this reply?" }).click();
      await turn().getByText("It searched no notes, and it is the first turn of its conversation.").waitFor();
      const first = await newest();
      await stage.store.propose(await stage.house.amendmentContext({ agent }), {
        section: "soul",
        operation: { kind: "append", content: "You are <b>calm</b>." },
        actor: "operator",
        reason: "It was <i>loud</i>.",
      });
      await tell("Hello?", "Bonjour.");
      const led = await why();
      await led.getByText("It was <i>loud</i>.").waitFor();
      await expect
        .poll(async () =>
          (await led.getByRole("listitem").allInnerTexts()).map((text) => text.replace(/\d\d:\d\d:\d\d/, "now")),
        )
        .toEqual([
          "agent changed instructions revision 1 · now · in this turn",
          "operator changed soul revision 1 · now “It was <i>loud</i>.”",
        ]);
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
      await tell("Hello.", "Hello.");
      await tell("And now?", "Nothing.");
      await turn().getByRole("button", { name: "Why this reply?" }).click();
      await turn().getByText("nothing in its prompt was changed since the turn before").waitFor();
      await turn().getByRole("link", { name: "See everything the model was given" }).click();
      await expect.poll(path).toBe(`/agents/${agent}/turns/${await newest()}`);
    });

    test("the next prompt beside the chat is that of the conversation in the address", async () => {
      const french = { instructions: "Always answer in French." };
      await tell("Hello.", "Hello.");
      await tell("Always answer in French.", calls(["update_instructions", french]), "Bien.");
      await window.page.getByRole("button", { name: "New conversation" }).click();
      await window.page.getByText(/^With the first message: [\d,]+ tokens/).waitFor();
      await tell("Bonjour.", "Bonjour.");
      const [second, first] = (await stage.store.sessions.list({ agent })).map(({ id }) => id);
      const sums = [];
      for (const session of [first, second]) {
        await goTo(window.page, `/agents/${agent}/chat?user=olga&session=${session}`);
        const { parts, tokens } = (await window.page.evaluate(
          `fetch("/api/agents/${agent}/prompt?parts=request&user=olga&channel=web&session=${session}").then((one) => one.json()).then((one) => one.request)`,
        )) as { parts: { slot: string; sections: { tokens: number }[] }[]; tokens: { total: number } };
        const sum = parts.flatMap(({ sections }) => sections).reduce((all, one) => all + one.tokens, 0);
        const [some, whole] = [sum, tokens.total].map((one) => one.toLocaleString("en"));
        await window.page.getByText(`In this conversation: ${some} tokens`).getByText(`${whole} with tools`).waitFor();
        sums.push(parts.filter(({ slot }) => slot === "update").length);
      }
      // The time is told in each; what changed in the first is told there alone.
      expect(sums).toEqual([2, 1]);
      await goTo(window.page, `/agents/${agent}/chat?user=olga&session=${first}`);
      await window.page
        .getByRole("complementary", { name: "The next prompt" })
        .getByRole("link", { name: "in Prompt" })
        .click();
      await expect.poll(path).toBe(`/agents/${agent}/prompt?user=olga&channel=web&session=${first}`);
      // The update stands among what was said, further down the document than a window shows.
      await main().getByRole("searchbox", { name: "Find in the prompt" }).fill("French");
      await main()
        .getByRole("region", { name: /^The text/ })
        .locator("[data-block]", { hasText: /^Update of\s*instructions/ })
        .waitFor();
    });
  });
});
