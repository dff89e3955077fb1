import { describe, expect, test } from "vitest";
import { shareWords } from "../src/pages/prompt/request-words.ts";
import { lineText } from "../src/strata/line.ts";
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
    const strata = () => page().getByRole("listbox", { name: "Sections by tokens" });
    const text = () => page().getByRole("region", { name: /^The text/ });
    const panel = () => page().getByRole("region", { name: "Who wrote this word" });
    const finder = () => page().getByRole("searchbox", { name: "Find in the prompt" });
    const limit = () => page().getByRole("spinbutton", { name: "Limit in tokens" });
    /** Looks for words, which brings them into view, and clicks the first of them. */
    const askAbout = async (words: string) => {
      await finder().fill(words);
      await text()
        .locator("span.bg-accent", { hasText: words })
        .click({ position: { x: 4, y: 6 } });
      await finder().fill("");
    };

    test("draws a band for each section, as high as it has tokens, and says where the cached prefix ends", async () => {
      await go("ada/prompt?user=olga&channel=web&show=new");
      await strata()
        .getByRole("option", { name: /^safety, \d+ tokens, fixed$/ })
        .waitFor();
      const options = await strata()
        .getByRole("option")
        .evaluateAll((all) => all.map((one) => [one.getAttribute("aria-label"), one.getBoundingClientRect().height]));
      const facts = options.map(([label, height]) => {
        const [name, tokens, mutability, ...others] = String(label).split(", ");
        return { name, tokens: Number.parseInt(tokens as string, 10), mutability, others, height: Number(height) };
      });
      expect(facts.map(({ name, mutability, others }) => [name, mutability, ...others])).toEqual([
        ["identity", "amendable"],
        ["soul", "amendable", "edited"],
        ["safety", "fixed"],
        ["channel", "live"],
        ["memory", "fixed"],
        ["instructions", "amendable", "edited"],
        ["tools", "live"],
        ["time", "live", "dynamic state"],
      ]);
      const scale = facts.map(({ tokens, height }) => (height + 1) / tokens);
      expect(Math.max(...scale) / Math.min(...scale)).toBeLessThan(1.2);
      const prefix = facts.reduce(
        (sum, { tokens, others }) => sum + (others.includes("dynamic state") ? 0 : tokens),
        0,
      );
      const read = `fetch("/api/agents/ada/prompt?parts=inputs&user=olga&channel=web").then((answer) => answer.json()).then((answer) => answer.inputs)`;
      const { toolTokens } = (await page().evaluate(read)) as { toolTokens: number };
      expect(toolTokens).toBeGreaterThan(0);
      await page()
        .getByText(lineText(prefix, { min: 1024, tools: toolTokens }), { exact: true })
        .waitFor();
    });

    test("is the very prompt the server would make", async () => {
      const at = "2026-02-18T12:00:00.000Z";
      await go(`ada/prompt?user=bo&channel=telegram&at=${at}`);
      const read = `fetch("/api/agents/ada/prompt?user=bo&channel=telegram&at=${at}").then((answer) => answer.json())`;
      const { tokens, text: words } = (await page().evaluate(read)) as {
        tokens: { total: number; exact: boolean };
        text: string;
      };
      await page()
        .getByText(`${tokens.total.toLocaleString("en")} tokens ${tokens.exact ? "exact" : "estimated"} (`)
        .waitFor();
      const first = words.slice(0, words.indexOf("\n"));
      expect(await text().textContent()).toContain(first);
    });

    test("says who wrote a word, in which turn and why, and leads there", async () => {
      await go("ada/prompt?user=olga&channel=web&show=new");
      await askAbout("exclamation");
      await panel().getByText("Written by the").waitFor();
      expect(await panel().innerText()).toMatch(/“exclamation”[\s\S]*instructions[\s\S]*by the\s+agent\s*, revision 2/);
      await panel().getByRole("link", { name: "Compare that turn with now" }).waitFor();
      const turn = await panel().getByRole("link", { name: /^0m/ }).getAttribute("href");
      expect((await stage.store.turns.get(turn?.match(/turns\/([^?]+)/)?.[1] as string)).input).toBe(
        "Never use exclamation marks.",
      );
      await panel().getByRole("button", { name: "Close" }).click();
      await panel().waitFor({ state: "detached" });
    });

    test("says that fixed words are locked, with their digest, and what live ones are made of", async () => {
      await askAbout("consent");
      const { digest } = (await page().evaluate(
        `fetch("/api/agents/ada/sections/safety").then((answer) => answer.json())`,
      )) as { digest: string };
      await panel().getByText(digest).waitFor();
      expect(await panel().innerText()).toContain("Read-only");
      await askAbout("on the web app");
      await panel().getByText("Generated per turn from the source").waitFor();
    });

    test("goes by keys: along the strata to a section, from word to word, and asks about one", async () => {
      await go("ada/prompt?user=olga&show=new");
      await strata().focus();
      await page().keyboard.press("ArrowDown");
      await page().keyboard.press("ArrowDown");
      await page().keyboard.press("Enter");
      await page().waitForURL(/section=safety/);
      await strata()
        .getByRole("option", { name: /^safety/, selected: true })
        .waitFor();
      await text().focus();
      await page().keyboard.press("Home");
      await page().keyboard.press("ArrowRight");
      await page().keyboard.press("Enter");
      await panel().getByText("“You”").waitFor();
      await page().keyboard.press("PageDown");
      await panel().getByText("“Soul”").waitFor();
      await panel().getByText("Fixed text of the charter, such as a heading").first().waitFor();
      await page().keyboard.press("Escape");
      await panel().waitFor({ state: "detached" });
    });

    test("follows the limit as it is drawn, and says what was trimmed", async () => {
      await go("sol/prompt?edition=compact");
      const words = await page()
        .getByText(/^[\d,]+ untrimmed; at least [\d,]+ needed$/)
        .innerText();
      const [whole, least] = (words.replaceAll(",", "").match(/\d+/g) ?? []).map(Number) as [number, number];
      const total = (tokens: number) =>
        page()
          .getByText(new RegExp(`^${tokens} tokens?$`))
          .first();
      await total(whole).waitFor();
      const slider = page().getByRole("slider", { name: "Limit in tokens" });
      const box = (await slider.boundingBox()) as { x: number; y: number };
      await page().mouse.move(box.x + 10, box.y + 10);
      await page().mouse.down();
      await page().mouse.move(box.x - 2_000, box.y + 10, { steps: 5 });
      await page().getByText(`The prompt may have ${least} tokens.`).waitFor();
      expect(page().url()).not.toContain("tokens=");
      await page().mouse.up();
      await page().waitForURL(new RegExp(`tokens=${least}$`));
      await page()
        .getByRole("list", { name: "Trimmed to fit" })
        .getByText(/^lost |^is left out/)
        .first()
        .waitFor();
    });

    test("shows what cannot fit as the problem it is, with the last good picture, until there is no limit", async () => {
      await limit().fill("100");
      await page().getByRole("alert").getByText("no-room").waitFor();
      expect(await page().locator(".grayscale").getByRole("listbox").count()).toBe(1);
      await page().getByRole("button", { name: "No limit" }).click();
      await page().getByRole("alert").waitFor({ state: "detached" });
      await expect.poll(() => new URL(page().url()).search).toBe("?edition=compact");
      expect(await page().locator(".grayscale").count()).toBe(0);
    });

    test("changes with the channel, the time and the user, and names what is not in it", async () => {
      await go("ada/prompt?user=olga&show=new");
      const omitted = page().getByRole("list", { name: "Not in this prompt" });
      await omitted.getByText("channel").waitFor();
      await page().getByRole("combobox", { name: "Channel" }).selectOption("telegram");
      await strata()
        .getByRole("option", { name: /^channel/ })
        .waitFor();
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

    test("is readable on a telephone, the picture above the text", async () => {
      await page().setViewportSize({ width: 360, height: 740 });
      expect(await page().evaluate(tooWide)).toEqual([]);
      const [picture, words] = await Promise.all([strata().boundingBox(), text().boundingBox()]);
      expect((picture?.y ?? 0) + (picture?.height ?? 0)).toBeLessThan(words?.y ?? 0);
      await page().setViewportSize({ width: 1280, height: 800 });
      expect(window.wrong).toEqual([]);
    });
  });

  describe("of one that is open", () => {
    const request = () => page().getByRole("region", { name: "The next request" });
    const part = (name: string) => request().getByRole("region", { name, exact: true });
    const choice = (name: string) => page().getByRole("button", { name, exact: true });
    const next = async (query: string) =>
      (await page().evaluate(
        `fetch("/api/agents/ada/prompt?parts=request&${query}").then((answer) => answer.json()).then((answer) => answer.request)`,
      )) as Next;

    test("shows what goes out now, in the order the model reads it, and says so", async () => {
      await stage.house.runTurn({ agent: "ada", user: "zoe", channel: "web", input: "Hello <b>Ada</b>." });
      await go("ada/prompt?user=zoe&channel=web");
      await page()
        .getByText(/^Shown: what the next turn sends in the open conversation with zoe on web, last used /)
        .waitFor();
      expect(await choice("Now, in this conversation").getAttribute("aria-pressed")).toBe("true");
      const titles = await request().getByRole("heading").allTextContents();
      expect(titles.map((one) => one.replace(/\d.*|the system.*|sent again.*/, ""))).toEqual([
        "Tools",
        "Prefix",
        "History",
        "Dynamic state",
      ]);
      await part("History").getByText("Hello <b>Ada</b>.").first().waitFor();
      await part("History").getByText("Your message").waitFor();
      await part("Dynamic state").getByText("Current Time").waitFor();
      const { tokens } = await next("user=zoe&channel=web");
      const words = `${tokens.total.toLocaleString("en")} tokens ${tokens.exact ? "exact" : "estimated"}`;
      await page().getByText(words).waitFor();
      await page().getByText(shareWords(tokens)).waitFor();
    });

    test("a change is an update of this conversation, and in the prompt of a new one", async () => {
      const scope = { agent: "ada", user: "zoe" };
      await stage.store.propose(await stage.house.amendmentContext(scope), {
        section: "instructions",
        operation: { kind: "append", content: "Answer <script>in verse</script>." },
        actor: "user",
      });
      await part("History").getByText("Update of").waitFor();
      await part("History").getByText("Answer <script>in verse</script>.").waitFor();
      expect(await part("Prefix").textContent()).not.toContain("in verse");
      await page().getByText("“instructions” changed since: sent as an update before your message.").waitFor();
      await choice("New conversation").click();
      await page().waitForURL(/show=new/);
      await page()
        .getByText(/^Shown: a new conversation\./)
        .waitFor();
      await page().getByRole("searchbox", { name: "Find in the prompt" }).fill("in verse");
      await page().getByText("1 of 1").waitFor();
      await page().getByRole("searchbox", { name: "Find in the prompt" }).fill("");
      await page().waitForURL((url) => !url.searchParams.has("find"));
      await choice("Now, in this conversation").click();
      await part("History").getByText("Update of").waitFor();
      expect(new URL(page().url()).search).toBe("?user=zoe&channel=web");
      expect(window.wrong).toEqual([]);
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

    test("without an open conversation there is only a new one, and it says that", async () => {
      await go("ada/prompt?user=nobody-yet&channel=web");
      await page().getByText("Shown: a new conversation. No conversation with nobody-yet is open on web.").waitFor();
      expect(await choice("Now, in this conversation").count()).toBe(0);
    });

    test("a time, an edition or a limit is tried out on a new conversation; the way back clears them", async () => {
      await go("ada/prompt?user=zoe&channel=web&edition=compact");
      await page()
        .getByText(/^Shown: a new conversation\./)
        .waitFor();
      await choice("Now, in this conversation").click();
      await request().waitFor();
      expect(new URL(page().url()).search).toBe("?user=zoe&channel=web");
    });

    test("where nothing can be trimmed there is no slider, and one sentence says so", async () => {
      await stage.store.agents.add({ name: "lost", charter: "assistant", model: "nowhere/none" });
      await go("lost/prompt?user=zoe");
      await page()
        .getByText(/^Nothing can be trimmed; at least \d+ tokens are needed\.$/)
        .waitFor();
      expect(await page().getByRole("slider").count()).toBe(0);
      await go("lost/prompt?user=zoe&tokens=10");
      await page().getByRole("button", { name: "Remove the limit of 10" }).click();
      await page().getByRole("alert").waitFor({ state: "detached" });
    });

    test("what was trimmed is listed once", async () => {
      await go("ada/prompt?user=cy&tokens=1200");
      const list = page().getByRole("list", { name: "Trimmed to fit" });
      await list.getByRole("listitem").first().waitFor();
      const rows = await list.getByRole("listitem").allTextContents();
      expect(new Set(rows).size).toBe(rows.length);
      const names = await list.getByRole("link").allTextContents();
      expect(new Set(names).size).toBe(names.length);
      const others = await page().getByRole("list", { name: "Not in this prompt" }).getByRole("link").allTextContents();
      expect(names.filter((one) => others.includes(one))).toEqual([]);
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
      await page().getByRole("heading", { name: "How to change it" }).waitFor();
      expect(await panel.count()).toBe(0);
    });

    test("a hint is given only where it is true: a coding agent has no chat to tell it in", async () => {
      await go("cody/prompt");
      const aside = page().getByRole("complementary").last();
      await aside.getByText("Click a word to see who wrote it.").waitFor();
      expect(await aside.getByRole("link", { name: "chat" }).count()).toBe(0);
      await go("ada/prompt?show=new");
      await aside.getByRole("link", { name: "chat" }).waitFor();
    });

    test("what goes out now can be read on a telephone", async () => {
      await page().setViewportSize({ width: 360, height: 740 });
      await go("ada/prompt?user=zoe&channel=web");
      await part("History").waitFor();
      expect(await page().evaluate(tooWide)).toEqual([]);
      // A coding agent takes no turns here: what it would send now is refused, and a new conversation is shown.
      expect(window.wrong.filter((line) => !/status of 422 /.test(line))).toEqual([]);
    });
  });
});
