import { describe, expect, test } from "vitest";
import { shareWords } from "../src/pages/prompt/page.tsx";
import { tooWide } from "./stage/faults.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

/** What the server says of the next request. */
type Next = {
  readonly session: { readonly id: string } | null;
  readonly tokens: Parameters<typeof shareWords>[0];
  readonly parts: readonly { readonly slot: string; readonly sections: readonly { readonly text: string }[] }[];
};

inBrowser("the Prompt page", () => {
  const { stage, window } = onStage();
  const page = () => window.page;
  const go = (path: string) => goTo(page(), `/agents/${path}`);

  describe("of a new conversation", () => {
    const ribbon = () => page().getByRole("listbox", { name: "The request by tokens" });
    const text = () => page().getByRole("region", { name: /^The text/ });
    const panel = () => page().getByRole("region", { name: "Who wrote this word" });
    const finder = () => page().getByRole("searchbox", { name: "Find in the prompt" });
    const limit = () => page().getByRole("spinbutton", { name: "The limit in tokens" });
    /** Looks for words, which brings them into view, and clicks the first of them. */
    const askAbout = async (words: string) => {
      await finder().fill(words);
      await text()
        .locator("span.bg-accent", { hasText: words })
        .click({ position: { x: 4, y: 6 } });
      await finder().fill("");
    };

    test("draws the whole request, as high as it has tokens, each band with its hand", async () => {
      await go("ada/prompt?user=olga&channel=web&show=new");
      await ribbon()
        .getByRole("option", { name: /^soul, \d+ tokens, operator$/ })
        .waitFor();
      const options = await ribbon()
        .getByRole("option")
        .evaluateAll((all) => all.map((one) => [one.getAttribute("aria-label"), one.getBoundingClientRect().height]));
      const facts = options.map(([label, height]) => {
        const [, name, tokens, hand] = /^(.+), ([\d,]+) tokens?, (\w+)$/.exec(String(label)) ?? [];
        return { name, tokens: Number(tokens?.replaceAll(",", "")), hand, height: Number(height) };
      });
      expect(facts[0]).toMatchObject({ name: "Tools", hand: "program" });
      expect(facts.find(({ name }) => name === "instructions")).toMatchObject({ hand: "agent" });
      const tall = facts.filter(({ height }) => height > 20);
      const scale = tall.map(({ tokens, height }) => height / tokens);
      expect(Math.max(...scale) / Math.min(...scale)).toBeLessThan(1.1);
      const total = facts.reduce((sum, { tokens }) => sum + tokens, 0);
      await page()
        .getByText(`${total.toLocaleString("en")} tokens`)
        .first()
        .waitFor();
    });

    test("has the hand of each line at its margin", async () => {
      await finder().fill("exclamation");
      const line = text().locator("div.grid", { has: page().locator("span.bg-accent") });
      await line.getByText("agent · r2").waitFor();
      await finder().fill("");
    });

    test("is the very prompt the server would make", async () => {
      const at = "2026-02-18T12:00:00.000Z";
      await go(`ada/prompt?user=bo&channel=telegram&at=${at}`);
      const read = `fetch("/api/agents/ada/prompt?user=bo&channel=telegram&at=${at}").then((answer) => answer.json())`;
      const { text: words } = (await page().evaluate(read)) as { text: string };
      const first = words.slice(0, words.indexOf("\n"));
      await text().getByText(first, { exact: true }).first().waitFor();
    });

    test("says who wrote a word, in which turn and why, and leads there", async () => {
      await go("ada/prompt?user=olga&channel=web&show=new");
      await askAbout("exclamation");
      await panel().getByText("Written by the").waitFor();
      await expect
        .poll(() => panel().innerText())
        .toMatch(/“exclamation”[\s\S]*by the\s+agent\s*, revision 2[\s\S]*instructions/);
      await panel().getByText("olga said:").waitFor();
      const turn = await panel().getByRole("link", { name: /^0m/ }).getAttribute("href");
      await expect
        .poll(async () => (await stage.store.turns.get(turn?.match(/turns\/([^?]+)/)?.[1] as string)).input)
        .toBe("Never use exclamation marks.");
      await panel().getByRole("button", { name: "Close" }).click();
      await panel().waitFor({ state: "detached" });
    });

    test("says that fixed words are locked, with their digest, and what live ones are made of", async () => {
      await askAbout("consent");
      const { digest } = (await page().evaluate(
        `fetch("/api/agents/ada/sections/safety").then((answer) => answer.json())`,
      )) as { digest: string };
      await panel().getByText(digest).waitFor();
      await expect.poll(() => panel().innerText()).toContain("Read-only");
      await askAbout("on the web app");
      await panel().getByText("Generated per turn from the source").waitFor();
    });

    test("goes by keys: along the ribbon to a section, from word to word, and asks about one", async () => {
      await go("ada/prompt?user=olga&show=new");
      await ribbon().focus();
      for (let at = 0; at < 2; at++) await page().keyboard.press("ArrowDown");
      await page().keyboard.press("Enter");
      await page().waitForURL(/section=/);
      await ribbon().getByRole("option", { selected: true }).waitFor();
      await text().focus();
      await page().keyboard.press("Home");
      await page().keyboard.press("Enter");
      await panel().getByText("“Identity”").waitFor();
      await panel().getByText("Fixed text of the charter, such as a heading").first().waitFor();
      await page().keyboard.press("PageDown");
      await panel().getByText("“Soul”").waitFor();
      await page().keyboard.press("Escape");
      await panel().waitFor({ state: "detached" });
    });

    test("a smaller limit is drawn at the ribbon's lower edge: what it leaves out is struck, and listed", async () => {
      await go("sol/prompt?edition=compact");
      await page().getByRole("button", { name: "Try a smaller limit" }).focus();
      const words = await page()
        .getByText(/[\d,]+ untrimmed; at least [\d,]+ needed$/)
        .innerText();
      const [, least] = (words.replaceAll(",", "").match(/\d+/g) ?? []).map(Number) as [number, number];
      const slider = page().getByRole("slider", { name: "Limit in tokens" });
      await slider.focus();
      await page().keyboard.press("Home");
      await page().waitForURL(new RegExp(`tokens=${least}$`));
      const trimmed = page().getByRole("list", { name: "Trimmed to fit" });
      await trimmed
        .getByText(/lost |is left out/)
        .first()
        .waitFor();
      // The short form of a section is in the compact edition without a limit: nothing of it is struck.
      await trimmed.getByRole("button").first().click();
      await text().locator('[data-block="survival"]').waitFor();
      await expect.poll(() => text().locator("span.line-through").count()).toBe(0);
      for (const says of ["lost 1 of 1 fact", "is left out"]) {
        await text().press("Home");
        await text().locator("span.line-through").first().waitFor({ state: "detached" });
        await trimmed.getByRole("listitem").filter({ hasText: says }).getByRole("button").first().click();
        await text().locator("span.line-through").first().waitFor();
      }
    });

    test("shows what cannot fit as the problem it is, beside the prompt, until there is no limit", async () => {
      await limit().fill("100");
      await page().getByRole("alert").getByText("no-room").waitFor();
      await page().getByRole("button", { name: "No limit" }).click();
      await page().getByRole("alert").waitFor({ state: "detached" });
      await expect.poll(() => new URL(page().url()).search).toBe("?edition=compact");
      await expect.poll(() => text().locator("span.line-through").count()).toBe(0);
    });

    test("a section is opened in place, with the checks and the price, and saved", async () => {
      await go("ada/prompt?user=olga&show=new");
      await page().getByRole("button", { name: "Edit soul" }).click();
      const editor = page().getByRole("region", { name: "Edit soul" });
      await editor.getByRole("textbox", { name: "Text of “soul”" }).press("Control+End");
      await page().keyboard.type(" She likes tea.");
      await editor.getByText("Checks passed.").waitFor();
      await editor.getByText(/tokens \(/).waitFor();
      await editor.getByRole("button", { name: "Try it" }).click();
      await editor.getByText(/first requests made again: [\d,]+ → [\d,]+ tokens/).waitFor();
      const tried = editor.getByRole("list", { name: "Past turns with these words" });
      const rows = async () => (await stage.store.turns.list({ agent: "ada", limit: 500 })).length;
      const before = await rows();
      await tried.getByRole("button", { name: "Ask the model…" }).first().click();
      await tried.getByText(/^About \$[\d.]+, and the answer\.|^The price is not known\./).waitFor();
      await tried.getByRole("button", { name: "Yes, ask" }).click();
      await editor.getByRole("region", { name: "Recorded" }).waitFor();
      await editor.getByRole("region", { name: "With these words" }).waitFor();
      expect(await rows()).toBe(before);
      await editor.getByRole("button", { name: /^Save as revision/ }).click();
      await editor.waitFor({ state: "detached" });
      await finder().fill("likes tea");
      await page().getByText("1 of 1").waitFor();
    });

    test("a word's change is undone by a new revision", async () => {
      await text()
        .locator("span.bg-accent", { hasText: "likes tea" })
        .click({ position: { x: 4, y: 6 } });
      await panel().getByRole("button", { name: "Undo", exact: true }).click();
      await page().getByText("not found").waitFor();
      await finder().fill("");
    });

    test("where later changes stand on it, undoing it opens the editor with both texts", async () => {
      await go("ada/prompt?user=olga&channel=web&show=new");
      await askAbout("exclamation");
      await panel().getByRole("button", { name: "Undo…" }).click();
      const editor = page().getByRole("region", { name: "Edit instructions" });
      await editor.getByRole("region", { name: "Both texts" }).waitFor();
      await editor.getByText("Checks passed.").waitFor();
      await editor.getByRole("button", { name: "Discard" }).click();
    });

    test("changes with the channel, the time and the user, and names what is not in it", async () => {
      await go("ada/prompt?user=olga&show=new");
      const omitted = page().getByRole("list", { name: "Not in this prompt" });
      await omitted.getByText("channel").waitFor();
      await page().getByRole("combobox", { name: "Channel" }).selectOption("telegram");
      await finder().fill("You are responding via");
      await text().locator('[data-block="channel"]').waitFor();
      await page().getByLabel("Time (empty: now)").fill("2031-05-06T07:08");
      await finder().fill("2031");
      await text().locator("span.bg-accent", { hasText: "2031" }).waitFor();
      await page().getByRole("combobox", { name: "User" }).fill("bo");
      await page().waitForURL(/user=bo/);
      await finder().fill("French");
      await page()
        .getByText(/^1 of \d+$/)
        .waitFor();
      await finder().fill("no such words");
      await page().getByText("not found").waitFor();
    });

    test("is assembled anew when someone changes a word of it", async () => {
      await finder().fill("fountain pen");
      await page().waitForURL(/find=fountain/);
      await page().getByText("not found").waitFor();
      const operation = { kind: "append", content: "She likes letters in fountain pen." } as const;
      const desk = await stage.house.amendmentContext({ agent: "ada" });
      await stage.store.propose(desk, { section: "soul", operation, actor: "operator" });
      await page().getByText("1 of 1").waitFor();
    });

    test("is readable on a telephone, the ribbon beside the text", async () => {
      await page().setViewportSize({ width: 360, height: 740 });
      await expect.poll(() => page().evaluate(tooWide)).toEqual([]);
      const [picture, words] = await Promise.all([ribbon().boundingBox(), text().boundingBox()]);
      expect((picture?.x ?? 0) + (picture?.width ?? 0)).toBeLessThan(words?.x ?? 0);
      await page().setViewportSize({ width: 1280, height: 800 });
      expect(window.wrong.filter((line) => !/status of 422 /.test(line))).toEqual([]);
    });
  });

  describe("of one that is open", () => {
    const request = () => page().getByRole("region", { name: /^The text/ });
    const finder = () => page().getByRole("searchbox", { name: "Find in the prompt" });
    const find = async (words: string) => {
      await finder().fill(words);
      await request().locator("span.bg-accent", { hasText: words }).first().waitFor();
    };
    const choice = (name: string) => page().getByRole("button", { name, exact: true });
    const next = async (query: string) =>
      (await page().evaluate(
        `fetch("/api/agents/ada/prompt?parts=request&${query}").then((answer) => answer.json()).then((answer) => answer.request)`,
      )) as Next;

    test("shows what goes out now, in the order the model reads it, and says so", async () => {
      await stage.house.runTurn({ agent: "ada", user: "zoe", channel: "web", input: "Hello <b>Ada</b>." });
      await go("ada/prompt?user=zoe&channel=web");
      await page()
        .getByText(/^The next request in the conversation with zoe on web, last used /)
        .waitFor();
      await expect.poll(() => choice("Now").getAttribute("aria-pressed")).toBe("true");
      await request().getByRole("heading", { name: "Tools" }).waitFor();
      await request().getByRole("heading", { name: "Prefix" }).waitFor();
      await find("Hello <b>Ada</b>.");
      await request().getByRole("heading", { name: "History" }).waitFor();
      await request().getByText("The next message comes here.").waitFor();
      await request().focus();
      await page().keyboard.press("End");
      await request().getByText("Update of").last().waitFor();
      const { tokens } = await next("user=zoe&channel=web");
      const words = `${tokens.total.toLocaleString("en")} tokens ${tokens.exact ? "exact" : "estimated"}`;
      await page().getByText(words).waitFor();
      await page().getByRole("button", { name: "About these tokens" }).click();
      await page().getByText(shareWords(tokens)).waitFor();
      await page().keyboard.press("Escape");
    });

    test("a change is an update of this conversation, and in the prompt of a new one", async () => {
      const scope = { agent: "ada", user: "zoe" };
      await stage.store.propose(await stage.house.amendmentContext(scope), {
        section: "instructions",
        operation: { kind: "append", content: "Answer <script>in verse</script>." },
        actor: "user",
      });
      await find("Answer <script>in verse</script>.");
      await request()
        .locator("[data-block]", { hasText: /^Update of\s*instructions/ })
        .waitFor();
      // The clock may have changed as well, if a minute is over since the turn.
      await page()
        .getByText(/“instructions”.* changed since: sent as (?:an update|updates) with your message\./)
        .waitFor();
      await choice("New conversation").click();
      await page().waitForURL(/show=new/);
      await page().getByText("The first request of a new conversation.").waitFor();
      await page().getByText("1 of 1").waitFor();
      await choice("Now").click();
      await finder().fill("");
      await expect.poll(() => new URL(page().url()).search).toBe("?user=zoe&channel=web");
      expect(window.wrong.filter((line) => !/status of 422 /.test(line))).toEqual([]);
    });

    test("words that an update replaced are struck in the prefix, and the panel says so", async () => {
      const scope = { agent: "ada", user: "zoe" };
      await stage.house.runTurn({ agent: "ada", user: "zoe", channel: "web", input: "In verse, then." });
      await stage.house.newSession({ ...scope, channel: "web" });
      await stage.house.runTurn({ agent: "ada", user: "zoe", channel: "web", input: "A new page." });
      const content = "Answer in prose.";
      await stage.store.propose(await stage.house.amendmentContext(scope), {
        section: "instructions",
        operation: { kind: "rewrite", content },
        actor: "user",
      });
      await find("verse");
      const word = request().locator("span.line-through", { hasText: "verse" }).first();
      await word.waitFor();
      await finder().fill("");
    });

    test("what it told is what the next turn then sent, byte for byte", async () => {
      const told = await next("user=zoe&channel=web");
      const { turn } = await stage.house.runTurn({ agent: "ada", user: "zoe", channel: "web", input: "Go on." });
      const { slots } = await stage.store.steps.replay(turn, 1);
      const parts = told.parts.map(({ slot, sections }) => [slot, sections.map(({ text }) => text).join("")]);
      const clock = /\d\d:\d\d(:\d\d)?/g;
      const plain = (rows: readonly (readonly (string | undefined)[])[]) =>
        rows.map(([slot, text]) => [slot, text?.replace(clock, "now")]);
      expect(plain(slots.map(({ slot, text }) => [slot, text]))).toEqual(plain(parts));
    });

    test("a past turn is a switch of the data: what it sent, from its receipt, and what changed since the one before", async () => {
      await go("ada/prompt?user=zoe&channel=web");
      await choice("Past turn").click();
      await page().waitForURL(/turn=/);
      await page()
        .getByText(/as its receipt proves/)
        .waitFor();
      await page()
        .getByText(/ read from the cache\.$/)
        .waitFor();
      const shown = page().getByRole("slider", { name: "Turn that is shown" });
      await shown.focus();
      // The turn that was just made is there once its event has come.
      const all = (await stage.store.turns.list({ agent: "ada", user: "zoe", limit: 100 })).length;
      await expect.poll(() => shown.getAttribute("aria-valuemax")).toBe(String(all - 1));
      await page().keyboard.press("End");
      await expect.poll(() => shown.getAttribute("aria-valuenow")).toBe(String(all - 1));
      const before = page().url();
      await page().keyboard.press("ArrowLeft");
      await page().waitForURL((url) => url.href !== before && url.searchParams.has("turn"));
      await request().locator("span.decoration-good").first().waitFor();
      await page().getByRole("slider", { name: "Compared with" }).focus();
      await page().keyboard.press("Home");
      await page().waitForURL(/since=/);
      await choice("Now").click();
      await page().waitForURL((url) => !url.searchParams.has("turn") && !url.searchParams.has("since"));
    });

    test("without an open conversation it is that of a new one, and it says that", async () => {
      await go("ada/prompt?user=nobody-yet&channel=web");
      await page().getByText("No conversation with nobody-yet is open: the next turn opens one.").waitFor();
    });

    test("a time or an edition is tried out on a new conversation; the way back clears them", async () => {
      await go("ada/prompt?user=zoe&channel=web&edition=compact");
      await page().getByText("The first request of a new conversation.").waitFor();
      await page().getByRole("combobox", { name: "Edition" }).selectOption("full");
      await page().waitForURL(/edition=full/);
      await choice("Now").click();
      await page()
        .getByText(/^The next request in the conversation with zoe/)
        .waitFor();
      expect(new URL(page().url()).search).toBe("?user=zoe&channel=web");
    });

    test("where nothing can be trimmed the edge cannot be drawn, and one sentence says so", async () => {
      await stage.store.agents.add({ name: "lost", charter: "assistant", model: "nowhere/none" });
      await go("lost/prompt?user=zoe");
      await page().getByRole("button", { name: "Try a smaller limit" }).focus();
      await page()
        .getByText(/^Nothing can be trimmed; at least \d+ tokens are needed\.$/)
        .waitFor();
      await expect.poll(() => page().getByRole("slider").count()).toBe(0);
    });

    test("what was trimmed is listed once", async () => {
      await go("ada/prompt?user=cy&tokens=1200");
      const list = page().getByRole("list", { name: "Trimmed to fit" });
      await list.getByRole("listitem").first().waitFor();
      const rows = await list.getByRole("listitem").allTextContents();
      expect(new Set(rows).size).toBe(rows.length);
    });

    test("a word is in the address: who opens it sees its panel", async () => {
      await go("ada/prompt?user=olga&channel=web&show=new&word=soul:12");
      const panel = page().getByRole("region", { name: "Who wrote this word" });
      await panel.getByText("soul").first().waitFor();
      await page()
        .getByRole("region", { name: /^The text/ })
        .focus();
      await page().keyboard.press("ArrowRight");
      await page().waitForURL((url) => url.searchParams.get("word") !== "soul:12");
      await panel.getByRole("button", { name: "Close" }).click();
      await page().waitForURL((url) => !url.searchParams.has("word"));
      await go("ada/prompt?user=olga&channel=web&show=new&word=%3Cscript%3E:1");
      await page().getByRole("note", { name: "Whose words the sections are" }).waitFor();
      await expect.poll(() => panel.count()).toBe(0);
    });

    test("an agent that takes no turns here has the document of its first request all the same", async () => {
      await go("cody/prompt");
      await page().getByRole("note", { name: "Whose words the sections are" }).waitFor();
      expect(window.wrong.filter((line) => !/status of 422 /.test(line))).toEqual([]);
    });
  });
});
