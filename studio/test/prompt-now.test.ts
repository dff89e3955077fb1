import { expect, test } from "vitest";
import { shareWords } from "../src/pages/prompt/now/now-words.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

/** What the server says of the next request. */
type Next = {
  readonly session: { readonly id: string } | null;
  readonly tokens: Parameters<typeof shareWords>[0];
  readonly parts: readonly { readonly slot: string; readonly sections: readonly { readonly text: string }[] }[];
};

inBrowser("the Prompt page of a conversation", () => {
  const { stage, window } = onStage();
  const page = () => window.page;
  const go = (path: string) => goTo(page(), `/agents/${path}`);
  const request = () => page().getByRole("region", { name: "The next request" });
  const part = (name: string) => request().getByRole("region", { name, exact: true });
  const choice = (name: string) => page().getByRole("button", { name, exact: true });
  const next = async (query: string) =>
    (await page().evaluate(`fetch("/api/agents/ada/next-request?${query}").then((answer) => answer.json())`)) as Next;

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
    const sideways = `[document.documentElement, document.querySelector("main")].some((one) => one.scrollWidth > one.clientWidth)`;
    expect(await page().evaluate(sideways)).toBe(false);
    // A coding agent takes no turns here: what it would send now is refused, and a new conversation is shown.
    expect(window.wrong.filter((line) => !/status of 422 /.test(line))).toEqual([]);
  });
});
