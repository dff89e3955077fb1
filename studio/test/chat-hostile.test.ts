import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { calls, scripted } from "../../charter/test/agent/model.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

test("nothing in the page's source makes elements of words", () => {
  const source = join(import.meta.dirname, "../src");
  const names = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  const making = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\("on/i;
  expect(names.filter((name) => making.test(readFileSync(join(source, name), "utf8")))).toEqual([]);
});

inBrowser("the chat, told what nobody would say", () => {
  const model = scripted();
  const { window } = onStage({
    lived: false,
    model,
    prepare: ({ store }) => store.agents.add({ name: "ada", charter: "assistant" }),
  });
  beforeAll(() => goTo(window.page, "/agents/ada/chat"));

  async function answered(reply: string, all = false): Promise<string> {
    model.say(reply);
    const before = await window.page.getByRole("article").count();
    await window.page.getByRole("textbox", { name: "Message" }).fill("Go on.");
    await window.page.keyboard.press("Enter");
    const answer = window.page.getByRole("article").nth(before).locator("[data-answer]");
    await answer.locator("> *").first().waitFor();
    await window.page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    if (all) await answer.getByRole("button", { name: /^Show all/ }).click();
    return (await answer.textContent()) ?? "";
  }

  test("characters that end a line elsewhere end none here, and begin no event", async () => {
    const words = 'One\u2028data: {"type":"error","errorText":"No."}\u2029two\u0085three\u000bfour';
    expect(await answered(words)).toBe(words);
  });

  test("lines end as elsewhere, also a heading's", async () => {
    expect(await answered("# One\r\nTwo\r\n\r\n## Three\rfour\r\n# five\u2028six")).toBe(
      "OneTwoThreefourfive\u2028six",
    );
  });

  test("words are only words, whoever wrote them", async () => {
    const hostile = "<img src=x onerror=alert(1)><script>alert(2)</script>[x](javascript:alert(3)) `<b>` **<i>**";
    model.say(calls([hostile.slice(0, 20), { x: hostile }]), hostile);
    await window.page.getByRole("textbox", { name: "Message" }).fill(hostile);
    await window.page.keyboard.press("Enter");
    const article = window.page.getByRole("article").last();
    await article.locator("[data-answer]", { hasText: "onerror" }).waitFor();
    await article.locator("summary").click();
    await article.getByText("Input", { exact: true }).waitFor();
    for (const tag of ["img", "script", "b", "i", 'a[href^="javascript"]'])
      expect(await article.locator(tag).count()).toBe(0);
  });

  const endless: [what: string, words: string][] = [
    ["quotes in quotes", `${">".repeat(20_000)} deep`],
    ["brackets that are never closed", `${"[".repeat(100_000)} deep`],
    ["ticks that are never closed", `${"`a``b".repeat(30_000)} deep`],
    ["stars that are never closed", `${"**a".repeat(50_000)} deep`],
    ["a megabyte", `${"word ".repeat(200_000)} deep`],
  ];
  test("what has no end is drawn, all of it where one asks for it, and the page goes on", async () => {
    for (const [what, words] of endless)
      expect([what, (await answered(words, true)).replace(/Show the beginning$/, "").slice(-4)]).toEqual([
        what,
        "deep",
      ]);
    expect(window.wrong).toEqual([]);
  });
});
