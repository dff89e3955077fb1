import type { Route } from "playwright-core";
import { expect, test } from "vitest";
import { addOldAgent } from "./stage/old-agent.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

/** Names that are nobody's mistake: they are in addresses, and stay whose they are. */
const odd = ["a/b", "50%2F", "שלום 🌱", "?user=bo#x"];

inBrowser("whose words they are, while an answer is on its way", () => {
  const { stage, window } = onStage({
    lived: false,
    prepare: async (stage) => {
      const { store } = stage;
      for (const name of ["ada", "a", ...odd])
        await addOldAgent(store, { name, charter: "assistant", settings: { original: { soul: "Be kind." } } });
      for (const user of ["bo", "bob", ...odd])
        await store.memory.save({ agent: "ada", user }, { text: `Known of ${user}.` });
      const desk = await stage.house.amendmentContext({ agent: "ada", user: "bo" });
      const operation = { kind: "rewrite", content: "Bo’s own rule." } as const;
      await store.propose(desk, { section: "instructions", operation, actor: "user" });
      await stage.house.runTurn({ agent: "ada", user: "bo", channel: "web", input: "Said by bo." });
    },
  });
  const page = () => window.page;
  const inMain = () => page().getByRole("main");
  const go = (path: string) => goTo(page(), path);
  /** What a request asks for waits until it is let go. */
  const holdBack = async (path: RegExp) => {
    const waiting: Route[] = [];
    let came = () => {};
    const arrived = new Promise<void>((resolve) => {
      came = resolve;
    });
    await page().route(path, (route) => {
      waiting.push(route);
      came();
    });
    return {
      arrived,
      letGo: async (how: (route: Route) => Promise<void> = (route) => route.continue()) => {
        for (const route of waiting) await how(route).catch(() => {});
        await page().unroute(path);
      },
    };
  };

  test("one user’s notes, turns and sections are never shown under another’s name", async () => {
    const views = [
      ["/agents/ada/memory?user=bo", "/agents/ada/memory?user=bob", "Known of bo.", /\/memory\?user=bob/],
      [
        "/agents/ada/turns?by=person&user=bo&open=bo",
        "/agents/ada/turns?by=person&user=bob&open=bob",
        "Said by bo.",
        /\/counterparts\?user=bob/,
      ],
      ["/agents/ada/sections?user=bo", "/agents/ada/sections?user=bob", "1 revision", /\/sections\?user=bob/],
      ["/agents/ada/turns?user=bo", "/agents/ada/turns?user=bob", "Said by bo.", /\/turns\?user=bob/],
    ] as const;
    for (const [theirs, others, words, request] of views) {
      await go(theirs);
      await inMain().getByText(words, { exact: true }).first().waitFor();
      const held = await holdBack(request);
      await page().evaluate((to) => history.pushState(null, "", to), others);
      await held.arrived;
      await expect
        .poll(async () => [others, await inMain().getByText(words, { exact: true }).count()])
        .toEqual([others, 0]);
      await held.letGo();
      await page().getByRole("status").filter({ hasText: "Loading…" }).first().waitFor({ state: "detached" });
    }
  });

  test("an answer to older words is no answer to these: nothing is said to be missing before it was looked for", async () => {
    await go("/agents/ada/memory?user=bo&query=zzz");
    await inMain().getByText("No notes found").waitFor();
    const held = await holdBack(/query=known/);
    await inMain().getByRole("searchbox", { name: "Search" }).fill("known");
    await held.arrived;
    await expect.poll(() => inMain().getByText("No notes found").count()).toBe(0);
    await held.letGo();
    await inMain().getByText("Known of bo.").waitFor();
  });

  test("a name that begins another one can be typed to its end", async () => {
    await go("/agents/ada/chat?user=olga");
    const who = page().getByRole("combobox", { name: "You speak as" });
    await who.press("Control+a");
    await who.press("Backspace");
    await page().keyboard.type("bob");
    await page().keyboard.press("Enter");
    await page().waitForURL("**/chat?user=bob");
    await expect
      .poll(async () => [await who.inputValue(), await who.evaluate((one) => one === document.activeElement)])
      .toEqual(["bob", true]);
  });

  test("what is typed to one agent as one user is not there for others whose names read alike", async () => {
    await go(`/agents/${encodeURIComponent("a/b")}/chat?user=c`);
    await page().getByRole("textbox", { name: "Message" }).fill("Between us.");
    await go(`/agents/a/chat?user=${encodeURIComponent("b/c")}`);
    await expect.poll(() => page().getByRole("textbox", { name: "Message" }).inputValue()).toBe("");
  });

  test("what is typed while a note is being kept is not lost", async () => {
    await go("/agents/ada/memory?user=bo&new=note");
    const words = page().getByRole("dialog").getByLabel("Text");
    await words.fill("Likes figs");
    const held = await holdBack(/\/memory$/);
    await page().getByRole("button", { name: "Save note" }).click();
    await held.arrived;
    await words.fill("Likes figs. And plums");
    await held.letGo();
    // Behind the dialog, which stays open.
    await page().locator("main").getByText("Likes figs", { exact: true }).waitFor();
    await expect.poll(() => words.inputValue()).toBe("Likes figs. And plums");
    await words.fill("");
    await page().keyboard.press("Escape");
  });

  test("words typed after one has come back to a section that is still being saved are kept", async () => {
    await go("/agents/ada/sections/soul?user=olga");
    const words = page().getByRole("textbox", { name: "Text of “soul”" });
    await words.press("Control+End");
    await words.pressSequentially(" Be brief.");
    await page().getByText("Checks passed.").waitFor();
    const held = await holdBack(/\/proposals$/);
    await words.press("Control+s");
    await held.arrived;
    await go("/agents/ada/sections/identity?user=olga");
    await go("/agents/ada/sections/soul?user=olga");
    await words.press("Control+End");
    await words.pressSequentially(" Be clear.");
    await held.letGo();
    await page().getByText("Revision 1", { exact: true }).waitFor();
    await page().reload();
    await page().getByRole("textbox", { name: "Text of “soul”" }).waitFor();
    await expect.poll(() => words.textContent()).toBe("Be kind. Be brief. Be clear.");
    await page().getByRole("button", { name: "Discard" }).click();
  });

  test("why one wants to go back is not lost when the server says no", async () => {
    await go("/agents/ada/sections/soul?user=olga");
    await page().getByRole("button", { name: "Give a reason…" }).click();
    const why = page().getByRole("textbox", { name: "Why revert to revision 0" });
    await why.fill("It was better.");
    const held = await holdBack(/\/proposals$/);
    await why.press("Enter");
    await held.arrived;
    await held.letGo((route) => route.abort());
    await page().getByText("The server cannot be reached.").first().waitFor();
    await expect.poll(() => why.inputValue()).toBe("It was better.");
  });

  test("the chat stays when only who one is cannot be read again", async () => {
    await go("/agents/ada/chat");
    const message = page().getByRole("textbox", { name: "Message" });
    await message.fill("Half a thou");
    const held = await holdBack(/\/api\/me$/);
    const again = page().waitForResponse(/\/api\/agents\/ada\/turns/);
    await stage.house.runTurn({ agent: "ada", user: "olga", channel: "web", input: "Something happens." });
    await held.arrived;
    await again;
    const answer = { status: 500, json: { error: { code: "broken", message: "Broken.", hint: "" } } };
    await held.letGo((route) => route.fulfill(answer));
    await page().getByText("Something happens.").first().waitFor();
    await page().keyboard.type("ght");
    await expect.poll(() => message.inputValue()).toBe("Half a thought");
  });

  test("odd names lead where they say", async () => {
    for (const name of odd) {
      await stage.house.runTurn({ agent: "ada", user: name, channel: "web", input: "Hello." });
      await go("/agents/ada/turns?by=person");
      await inMain().getByRole("button", { expanded: false }).filter({ hasText: name }).first().click();
      await expect.poll(() => new URL(page().url()).searchParams.get("open")).toBe(name);
      await inMain().getByRole("article").getByText("Hello.", { exact: true }).first().waitFor();
      await inMain().getByRole("link", { name: "Notes", exact: true }).click();
      await inMain().getByText(`Known of ${name}.`, { exact: true }).waitFor();
      const agents = page().getByRole("combobox", { name: "Agent" });
      await agents.selectOption(name);
      await expect.poll(() => new URL(page().url()).pathname).toBe(`/agents/${encodeURIComponent(name)}/memory`);
      await expect.poll(() => agents.inputValue()).toBe(name);
      await inMain().getByRole("button", { name: "Add a note" }).waitFor();
      await page().goBack();
      await inMain().getByText(`Known of ${name}.`, { exact: true }).waitFor();
      await go(`/agents/${encodeURIComponent(name)}/sections/soul?user=${encodeURIComponent(name)}`);
      await page()
        .getByText(/^Accepted|^Markdown\. Tab/)
        .waitFor();
    }
  });

  test("nothing else went wrong", () => {
    expect(window.wrong.filter((one) => !/ERR_FAILED|status of (409|500)/.test(one))).toEqual([]);
  });
});
